import assert from 'node:assert/strict'
import { nextDueTimes } from '../../src/schedules/timing/due-times.ts'
import { verifies } from '../support/verifies.ts'

const cases: [string, { cron?: string; at?: string; timeZone?: string }, string, string[]][] = [
  // In Berlin, 02:00 to 03:00 does not exist on 29 March 2026, and comes twice on 25 October.
  [
    'a skipped time is due at the next valid minute',
    { cron: '30 2 * * *' },
    '2026-03-28T12:00Z',
    ['2026-03-29T01:00Z', '2026-03-30T00:30Z'],
  ],
  [
    'several skipped times are due once',
    { cron: '*/20 2 * * *' },
    '2026-03-28T12:00Z',
    ['2026-03-29T01:00Z', '2026-03-30T00:00Z'],
  ],
  [
    'a repeated time is due once',
    { cron: '30 2 * * *' },
    '2026-10-24T12:00Z',
    ['2026-10-25T00:30Z', '2026-10-26T01:30Z'],
  ],
  [
    'several repeated times are due once each',
    { cron: '0,30 2 * * *' },
    '2026-10-24T12:00Z',
    ['2026-10-25T00:00Z', '2026-10-25T00:30Z', '2026-10-26T01:00Z'],
  ],
  [
    'every hour goes on by elapsed time in autumn',
    { cron: '0 * * * *' },
    '2026-10-24T23:30Z',
    ['2026-10-25T00:00Z', '2026-10-25T01:00Z', '2026-10-25T02:00Z'],
  ],
  [
    'every hour goes on by elapsed time in spring',
    { cron: '0 * * * *' },
    '2026-03-29T00:30Z',
    ['2026-03-29T01:00Z', '2026-03-29T02:00Z'],
  ],
  ['once, at a time that is skipped', { at: '2026-03-29T02:30' }, '2026-01-01T00:00Z', ['2026-03-29T01:00Z']],
  [
    'once, at a time that comes twice',
    { at: '2026-10-25T02:30' },
    '2026-01-01T00:00Z',
    ['2026-10-25T00:30Z'],
  ],
  [
    'clocks that change by half an hour',
    { cron: '15 2 * * *', timeZone: 'Australia/Lord_Howe' },
    '2026-10-02T16:00Z',
    ['2026-10-03T15:30Z', '2026-10-04T15:15Z'],
  ],
]

for (const [says, timing, from, expected] of cases) {
  verifies('schedules:clock-changes', says, () => {
    const asked = { cron: null, at: null, timeZone: 'Europe/Berlin', ...timing }
    const times = nextDueTimes(asked, new Date(from), expected.length)
    assert.deepEqual(
      times.map((time) => time.toISOString().replace(':00.000Z', 'Z')),
      expected,
    )
  })
}
