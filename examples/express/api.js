/**
 * A small API behind Gatehouse: reading needs `orders:read`, and writing `orders:write`.
 *
 *     GATEHOUSE_METADATA=https://acme.id.example.com/oauth2/resource_metadata/1 PORT=8080 node api.js
 *
 * With GATEHOUSE_CLIENT_ID and GATEHOUSE_CLIENT_SECRET it asks the service about each token.
 */

import express from 'express';
import { protect } from './protect.js';

const { GATEHOUSE_METADATA, GATEHOUSE_CLIENT_ID: id, GATEHOUSE_CLIENT_SECRET: secret, PORT = '8080' } = process.env;
if (!GATEHOUSE_METADATA) {
  throw new Error('GATEHOUSE_METADATA is missing: https://acme.id.example.com/oauth2/resource_metadata/1, for example');
}
const api = await protect(GATEHOUSE_METADATA, { client: id ? { id, secret } : null });
const orders = ['1001'];
const app = express().disable('x-powered-by');
app.use(api.metadata);
app.get('/orders', api.needs('orders:read'), (req, res) => res.json({ for: req.token.sub, orders }));
app.post('/orders', api.needs('orders:write'), (_req, res) => {
  orders.push(String(1001 + orders.length));
  res.status(201).json({ orders });
});
app.listen(Number(PORT), '127.0.0.1', () => process.stdout.write(`${api.resource} listens on port ${PORT}\n`));
