/**
 * The states of a webhook. Its URL stays the same in all of them and changes only by rotation.
 *
 *   active ◀──▶ inactive   active accepts events and starts runs; inactive answers 404, but events that already wait still run
 *     └────┬──────┘
 *          ▼
 *       deleted            permanent: its URL answers 410 and is never issued again
 */
export type WebhookState = 'active' | 'inactive' | 'deleted'
