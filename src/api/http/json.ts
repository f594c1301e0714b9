import express from 'express';
import type { Response } from 'express';

/** The largest JSON body that the gateway reads, in bytes. */
export const JSON_BODY_BYTES = 256_000;

/** Reads a JSON body into `req.body`. Leaves a body of any other type unread. */
export const jsonBody = express.json({ limit: JSON_BODY_BYTES, inflate: false });

/** Sends a record or a report that no cache may keep, because it can change at any moment. */
export function sendJson(res: Response, body: unknown, status = 200): void {
  res.status(status).set('Cache-Control', 'no-store').json(body);
}

/** Sends 204. */
export function sendNoContent(res: Response): void {
  res.status(204).end();
}
