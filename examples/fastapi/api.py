"""A small API behind Gatehouse: reading needs `orders:read`, and writing `orders:write`.

    GATEHOUSE_METADATA=https://acme.id.example.com/oauth2/resource_metadata/1 PORT=8080 python api.py

With GATEHOUSE_CLIENT_ID and GATEHOUSE_CLIENT_SECRET it asks the service about each token.
"""

import os
from typing import Annotated

import uvicorn
from fastapi import Depends, FastAPI

from protect import protect

client_id = os.environ.get("GATEHOUSE_CLIENT_ID")
client = (client_id, os.environ["GATEHOUSE_CLIENT_SECRET"]) if client_id else None
api = protect(os.environ["GATEHOUSE_METADATA"], client)
orders = ["1001"]
app = FastAPI()
app.include_router(api.metadata)


@app.get("/orders")
def read_orders(token: Annotated[dict, Depends(api.needs("orders:read"))]):
    return {"for": token["sub"], "orders": orders}


@app.post("/orders", status_code=201)
def add_order(_token: Annotated[dict, Depends(api.needs("orders:write"))]):
    orders.append(str(1001 + len(orders)))
    return {"orders": orders}


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ.get("PORT", "8080")), log_level="warning")
