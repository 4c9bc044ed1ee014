// A small API behind Gatehouse: reading needs orders:read, and writing orders:write.
//
//	GATEHOUSE_METADATA=https://acme.id.example.com/oauth2/resource_metadata/1 PORT=8080 go run .
//
// With GATEHOUSE_CLIENT_ID and GATEHOUSE_CLIENT_SECRET it asks the service about each token.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strconv"
	"sync"

	"gatehouse.invalid/example/protect"
)

func main() {
	api, err := protect.New(context.Background(), os.Getenv("GATEHOUSE_METADATA"))
	if err != nil {
		log.Fatal(err)
	}
	if id := os.Getenv("GATEHOUSE_CLIENT_ID"); id != "" {
		api.Client = &protect.Client{ID: id, Secret: os.Getenv("GATEHOUSE_CLIENT_SECRET")}
	}
	var lock sync.Mutex
	orders := []string{"1001"}
	answer := func(w http.ResponseWriter, status int, body map[string]any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}
	read := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		answer(w, http.StatusOK, map[string]any{"for": protect.ClaimsOf(r).Subject, "orders": orders})
	})
	add := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		orders = append(orders, strconv.Itoa(1001+len(orders)))
		answer(w, http.StatusCreated, map[string]any{"orders": orders})
	})
	mux := http.NewServeMux()
	mux.Handle("GET "+api.WellKnown, api.Metadata())
	mux.Handle("GET /orders", api.Needs(read, "orders:read"))
	mux.Handle("POST /orders", api.Needs(add, "orders:write"))
	log.Fatal(http.ListenAndServe("127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "8080"), mux))
}
