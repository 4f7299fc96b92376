/**
 * The life of a webhook. Its URL stays the same through every move, and changes only by rotation.
 *
 *   active ◀──▶ inactive   the one accepts events and starts runs; the other answers 404, and what waited already still runs
 *     └────┬──────┘
 *          ▼
 *       deleted            for good: its URL answers 410 and is never given out again
 */
export type WebhookState = 'active' | 'inactive' | 'deleted'
