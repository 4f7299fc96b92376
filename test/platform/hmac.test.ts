import assert from 'node:assert/strict'
import { createHmac, createSecretKey } from 'node:crypto'
import { hmac } from '../../src/platform/crypto/hmac.ts'
import { fc } from '../support/property.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'verify:generic',
  'an HMAC is that of OpenSSL, for every algorithm, length of key, message and encoding',
  () => {
    fc.assert(
      fc.property(
        fc.constantFrom('sha1', 'sha256', 'sha512'),
        // Keys up to and beyond a block of the hash are treated differently.
        fc.uint8Array({ maxLength: 200 }),
        fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 }),
        fc.constantFrom('hex', 'base64', 'base64url'),
        (algorithm, bytes, message, encoding) => {
          const key = createSecretKey(bytes)
          const expected = createHmac(algorithm, bytes).update(Buffer.concat(message)).digest(encoding)
          assert.equal(hmac(algorithm, key, message, encoding), expected)
          assert.equal(hmac(algorithm, key, message, encoding), expected, 'with the remembered key')
        },
      ),
    )
  },
)
