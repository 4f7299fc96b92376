import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { Secret } from '../../src/platform/secret.ts'
import { type PresetName, presetNames } from '../../src/webhooks/contract.ts'
import { resolveSchemes } from '../../src/webhooks/verification/resolve-schemes.ts'
import type { Delivery, Scheme } from '../../src/webhooks/verification/scheme.ts'
import { signDelivery } from '../../src/webhooks/verification/sign-delivery.ts'
import { verifyDelivery } from '../../src/webhooks/verification/verify-delivery.ts'
import { fc } from '../support/property.ts'
import { verifies } from '../support/verifies.ts'

const now = new Date('2026-11-15T12:00:00Z')
const secretText = Buffer.from('a secret of thirty-two bytes ok!').toString('base64')
const discord = generateKeyPairSync('ed25519')
const discordKey = discord.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex')

/** A delivery that verifies, for any preset. The one Discord key pair stands for its sender. */
function signed(
  preset: PresetName,
  text: string,
): { schemes: readonly Scheme[]; secret: Secret; delivery: Delivery } {
  const schemes = resolveSchemes({ preset })
  const scheme = schemes[0]
  assert.ok(scheme)
  const body = Buffer.from(JSON.stringify({ text, webhookTimestamp: now.getTime() }))
  const url = 'https://bellhop.example.com/hooks/whk_abc'
  if (preset === 'discord') {
    const time = String(now.getTime() / 1000)
    const signature = sign(null, Buffer.concat([Buffer.from(time), body]), discord.privateKey).toString('hex')
    const rawHeaders = ['X-Signature-Ed25519', signature, 'X-Signature-Timestamp', time]
    return { schemes, secret: new Secret(discordKey), delivery: { method: 'POST', url, rawHeaders, body } }
  }
  const secret = new Secret(secretText)
  const signing = signDelivery(scheme, secret, { method: 'POST', url, headers: {}, body }, now)
  assert.ok(signing)
  const rawHeaders = Object.entries(signing.headers).flat()
  return { schemes, secret, delivery: { method: 'POST', url: signing.url, rawHeaders, body } }
}

const signaturePresets = presetNames.filter(
  (preset) => resolveSchemes({ preset })[0]?.algorithm !== 'equality',
)
const text = fc.string({ maxLength: 40 })

verifies('verify:nothing-altered-passes', 'every preset accepts what is signed for it', () => {
  for (const preset of presetNames) {
    const { schemes, secret, delivery } = signed(preset, 'plain')
    const verdict = verifyDelivery(schemes, [secret], delivery, now)
    assert.deepEqual({ preset, verified: verdict.verified }, { preset, verified: true })
  }
})

verifies(
  'verify:standard-webhooks',
  'of several signatures one is enough; more than eight are refused',
  () => {
    const { schemes, secret, delivery } = signed('standard_webhooks', 'rotated')
    const at = delivery.rawHeaders.findIndex((name) => name.toLowerCase() === 'webhook-signature') + 1
    const withOthers = (count: number) => {
      const value = `${'v1,AAAA '.repeat(count)}${delivery.rawHeaders[at]}`
      return { ...delivery, rawHeaders: delivery.rawHeaders.with(at, value) }
    }
    assert.ok(verifyDelivery(schemes, [secret], withOthers(7), now).verified)
    assert.ok(!verifyDelivery(schemes, [secret], withOthers(8), now).verified)
  },
)

verifies('verify:nothing-altered-passes', 'a body with any bit flipped, cut or added to is refused', () => {
  fc.assert(
    fc.property(fc.constantFrom(...signaturePresets), text, fc.nat(), fc.nat(7), (preset, words, at, bit) => {
      const { schemes, secret, delivery } = signed(preset, words)
      const flipped = Buffer.from(delivery.body)
      const index = at % flipped.length
      flipped[index] = (flipped[index] ?? 0) ^ (1 << bit)
      const longer = Buffer.concat([delivery.body, Buffer.from(' ')])
      for (const body of [flipped, delivery.body.subarray(0, index), longer]) {
        assert.ok(!verifyDelivery(schemes, [secret], { ...delivery, body }, now).verified, preset)
      }
    }),
    { numRuns: 300 },
  )
})

verifies(
  'verify:nothing-altered-passes',
  'a header with any character flipped, dropped, doubled, cut or re-cased is refused',
  () => {
    fc.assert(
      fc.property(fc.constantFrom(...presetNames), text, fc.nat(), fc.nat(), (preset, words, which, at) => {
        const { schemes, secret, delivery } = signed(preset, words)
        const index = 2 * (which % (delivery.rawHeaders.length / 2)) + 1
        const value = delivery.rawHeaders[index] ?? ''
        const place = at % value.length
        const one = value[place] ?? ''
        const recased = one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase()
        const mutants = [
          value.slice(0, place) + String.fromCharCode(one.charCodeAt(0) ^ 1) + value.slice(place + 1),
          value.slice(0, place) + recased + value.slice(place + 1),
          value.slice(0, place) + value.slice(place + 1),
          value.slice(0, place) + one + value.slice(place),
          value.slice(0, place),
          value.toUpperCase(),
          '',
        ]
        for (const mutant of mutants.filter((candidate) => candidate !== value)) {
          const rawHeaders = delivery.rawHeaders.with(index, mutant)
          const verdict = verifyDelivery(schemes, [secret], { ...delivery, rawHeaders }, now)
          assert.ok(!verdict.verified, `${preset}: ${value} became ${mutant}`)
        }
      }),
      { numRuns: 300 },
    )
  },
)

verifies(
  'verify:duplicate-header-refused',
  'a header of the check that comes twice is refused, even if both are right',
  () => {
    for (const preset of presetNames) {
      const { schemes, secret, delivery } = signed(preset, 'twice')
      for (let at = 0; at < delivery.rawHeaders.length; at += 2) {
        const again = [delivery.rawHeaders[at]?.toLowerCase() ?? '', delivery.rawHeaders[at + 1] ?? '']
        const rawHeaders = [...delivery.rawHeaders, ...again]
        const verdict = verifyDelivery(schemes, [secret], { ...delivery, rawHeaders }, now)
        assert.deepEqual(verdict.verified ? 'accepted' : verdict.reason.code, 'header-duplicated', preset)
      }
    }
  },
)

verifies(
  'verify:timestamp-strict',
  'a signature older or newer than the tolerance is refused, at the edge it is not',
  () => {
    for (const preset of presetNames) {
      const { schemes, secret, delivery } = signed(preset, 'old')
      const tolerance = schemes[0]?.toleranceSeconds
      if (tolerance === undefined) continue
      const at = (offset: number) =>
        verifyDelivery(schemes, [secret], delivery, new Date(now.getTime() + offset * 1000)).verified
      assert.deepEqual(
        [at(tolerance), at(-tolerance), at(tolerance + 1), at(-tolerance - 1)],
        [true, true, false, false],
        preset,
      )
    }
  },
)

verifies(
  'verify:timestamp-strict',
  'a timestamp that is not 1 to 13 plain digits, or ISO where the sender writes that, is refused before anything is compared',
  () => {
    const scheme = resolveSchemes({ preset: 'slack' })
    for (const time of ['', ' 1', '+1', '-1', '1.5', '1e9', '0x1', '١٢٣', '12345678901234', 'NaN', '1\n']) {
      const rawHeaders = ['X-Slack-Signature', 'v0=00', 'X-Slack-Request-Timestamp', time]
      const verdict = verifyDelivery(
        scheme,
        [new Secret('x')],
        { method: 'POST', url: '', rawHeaders, body: Buffer.from('{}') },
        now,
      )
      const code = verdict.verified ? 'accepted' : verdict.reason.code
      assert.equal(code, time === '' ? 'signed-header-missing' : 'timestamp-malformed', JSON.stringify(time))
    }
    // Where a sender writes it by ISO 8601, nothing else that could be read as a time will do, however well it is signed.
    const iso = (time: string) => {
      const signature = createHmac('sha256', 'key').update(`${time}{}`).digest('base64')
      const names = ['X-Zendesk-Webhook-Signature', 'X-Zendesk-Webhook-Signature-Timestamp']
      const rawHeaders = [names[0] ?? '', signature, names[1] ?? '', time]
      const delivery = { method: 'POST', url: '', rawHeaders, body: Buffer.from('{}') }
      const verdict = verifyDelivery(
        resolveSchemes({ preset: 'zendesk' }),
        [new Secret('key')],
        delivery,
        now,
      )
      return verdict.verified ? 'accepted' : verdict.reason.code
    }
    for (const time of ['2026-11-15T12:00:00Z', '2026-11-15T12:00:00.123Z', '2026-11-15T13:00:00+01:00']) {
      assert.equal(iso(time), 'accepted', time)
    }
    for (const time of [
      '1794744000',
      '2026-11-15',
      '2026-11-15T12:00:00',
      '2026-11-15 12:00:00Z',
      'Sun, 15 Nov 2026 12:00:00 GMT',
      'soon',
    ]) {
      assert.equal(iso(time), 'timestamp-malformed', time)
    }
  },
)

verifies('verify:two-secrets', 'either of two live secrets verifies, and a third does not', () => {
  const { schemes, secret, delivery } = signed('stripe', 'two')
  const other = new Secret('whsec_other')
  assert.ok(verifyDelivery(schemes, [secret, other], delivery, now).verified)
  assert.ok(verifyDelivery(schemes, [other, secret], delivery, now).verified)
  assert.ok(!verifyDelivery(schemes, [other, new Secret('third')], delivery, now).verified)
})

verifies(
  'verify:generic',
  'each algorithm, encoding and place of the generic scheme signs and verifies',
  () => {
    fc.assert(
      fc.property(
        fc.constantFrom('hmac-sha1' as const, 'hmac-sha256' as const, 'hmac-sha512' as const),
        fc.constantFrom('hex' as const, 'hex-upper' as const, 'base64' as const, 'base64url' as const),
        fc.constantFrom('utf-8' as const, 'base64' as const),
        fc.constantFrom('{body}', '{ts}.{body}', '{method} {url}\n{header:X-Id}\n{body}'),
        fc.constantFrom('header' as const, 'list' as const, 'none' as const),
        (algorithm, encoding, keyEncoding, template, time) => {
          const signsTime = template.includes('{ts}')
          fc.pre(signsTime === (time !== 'none'))
          const schemes = resolveSchemes({
            preset: 'generic',
            algorithm,
            encoding,
            keyEncoding,
            template,
            header: 'X-Sig',
            prefix: 'p:',
            ...(time === 'header' ? { timestampHeader: 'X-Time' } : {}),
            ...(time === 'list' ? { listKey: 's', timestampListKey: 't' } : {}),
          })
          const request = {
            method: 'POST',
            url: 'https://a.example/h',
            headers: {},
            body: Buffer.from('{"a":1}'),
          }
          const secret = new Secret(secretText)
          assert.ok(schemes[0])
          const signing = signDelivery(schemes[0], secret, request, now)
          assert.ok(signing)
          const delivery = { ...request, rawHeaders: Object.entries(signing.headers).flat() }
          assert.ok(verifyDelivery(schemes, [secret], delivery, now).verified)
          const altered = { ...delivery, body: Buffer.from('{"a":2}') }
          assert.ok(!verifyDelivery(schemes, [secret], altered, now).verified)
        },
      ),
    )
  },
)

verifies('verify:shared-secret', 'a secret in a header may follow a scheme word and hold any letters', () => {
  const schemes = resolveSchemes({ preset: 'shared_secret', header: 'Authorization', prefix: 'Bearer ' })
  const check = (value: string) =>
    verifyDelivery(
      schemes,
      [new Secret('grüße')],
      {
        method: 'POST',
        url: '',
        rawHeaders: ['authorization', Buffer.from(value).toString('latin1')],
        body: Buffer.alloc(0),
      },
      now,
    ).verified
  assert.deepEqual([check('Bearer grüße'), check('grüße'), check('Bearer grüßE')], [true, false, false])
})
