import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { Secret } from '../../src/platform/secret.ts'
import { idPattern, newId } from '../../src/shared/ids.ts'
import { verifies } from '../support/verifies.ts'

verifies('house:ids-have-prefix', 'an id names its kind, is a UUIDv7, and fits only its own pattern', () => {
  const id = newId('webhook')
  assert.match(id, /^hook_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.match(id, idPattern('webhook'))
  assert.doesNotMatch(id, idPattern('run'))
  assert.doesNotMatch(`${id}0`, idPattern('webhook'))
})

verifies('house:ids-have-prefix', 'ids sort by when they were made, and none comes twice', () => {
  const times = Array.from({ length: 500 }, (_, index) => new Date(1_700_000_000_000 + index * 97))
  const ids = times.map((time) => newId('event', time))
  assert.deepEqual(ids.toSorted(), ids)
  const atOnce = Array.from({ length: 500 }, () => newId('event', times[0]))
  assert.deepEqual(atOnce.toSorted(), atOnce)
  assert.equal(new Set(atOnce).size, atOnce.length)
})

verifies(
  'house:secret-never-prints',
  'whatever a secret is printed with shows [secret], and reveal() the value',
  () => {
    const secret = new Secret('hunter2')
    const prints = [
      String(secret),
      `${secret}`,
      JSON.stringify({ secret }),
      inspect(secret),
      inspect({ deep: [{ secret }] }, { depth: null, showHidden: true }),
      Object.values(secret).join(),
      JSON.stringify(Object.getOwnPropertyDescriptors(secret)),
    ]
    assert.deepEqual(
      prints.filter((print) => print.includes('hunter2')),
      [],
    )
    assert.equal(String(secret), '[secret]')
    assert.equal(inspect(secret), '[secret]')
    assert.equal(JSON.stringify(secret), '"[secret]"')
    assert.equal(secret.reveal(), 'hunter2')
  },
)
