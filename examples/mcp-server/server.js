/**
 * A server of the Model Context Protocol that keeps notes for each user, behind Gatehouse: reading needs the scope
 * `notes:read`, and writing `notes:write`, which a client asks for when a tool needs it.
 *
 *     GATEHOUSE_METADATA=https://acme.id.example.com/oauth2/resource_metadata/1 PORT=8080 node server.js
 */

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';
import { z } from 'zod';
import { protect } from '../express/protect.js';

const scopeOfTool = new Map([['add_note', 'notes:write']]);
const mostNotes = 100;
/** Notes by user. */
const notes = new Map();

/** One user's server; it lives for one request. */
function serverFor(user) {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  const kept = notes.get(user) ?? [];
  const text = (value) => ({ content: [{ type: 'text', text: value }] });
  server.registerTool('list_notes', { description: 'Lists your notes' }, () => text(JSON.stringify(kept)));
  const inputSchema = { note: z.string().min(1).max(1000) };
  server.registerTool('add_note', { description: 'Adds a note', inputSchema }, ({ note }) => {
    notes.set(user, [...kept, note].slice(-mostNotes));
    return text('added');
  });
  return server;
}

/** The scopes that a request needs, by the tools that it calls. */
function scopesFor({ body }) {
  const calls = [body].flat().filter((message) => message?.method === 'tools/call');
  return ['notes:read', ...calls.flatMap(({ params }) => scopeOfTool.get(params?.name) ?? [])];
}

/** Clients in a browser send these, and read the challenge. */
function allowBrowsers(req, res, next) {
  res.set({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers':
      'authorization, content-type, dpop, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id',
    'access-control-expose-headers': 'www-authenticate, mcp-session-id',
  });
  if (req.method === 'OPTIONS') return res.status(204).end();
  next();
}

/** On loopback, another name in Host is that of a web page which points its own name at this machine. */
function requireOwnHost(resource) {
  const { host } = new URL(resource);
  return (req, res, next) => (req.get('host') === host ? next() : res.status(421).json({ error: `this is ${host}` }));
}

export async function startServer({ metadata, port }) {
  const api = await protect(metadata);
  const { pathname } = new URL(api.resource);
  const app = express().disable('x-powered-by');
  app.use(requireOwnHost(api.resource), allowBrowsers, api.metadata, express.json({ limit: '100kb' }));
  app.post(pathname, api.needs(scopesFor), async (req, res) => {
    const server = serverFor(req.token.sub);
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
    res.on('close', () => Promise.all([transport.close(), server.close()]));
    await server.connect(transport);
    await transport.handleRequest(req, res, req.body);
  });
  // Without a session there is nothing to listen to, and nothing to end.
  app.all(pathname, api.needs('notes:read'), (_req, res) => res.set('allow', 'POST').status(405).end());
  await new Promise((resolve, reject) => {
    app.listen(port, '127.0.0.1', (error) => (error ? reject(error) : resolve()));
  });
  return api.resource;
}

if (import.meta.main) {
  const { GATEHOUSE_METADATA: metadata, PORT = '8080' } = process.env;
  const resource = await startServer({ metadata, port: Number(PORT) });
  process.stdout.write(`${resource} is ready\n`);
}
