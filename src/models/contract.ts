import { z } from 'zod'

export const providerShape = z.enum(['anthropic', 'openai', 'google', 'openai-compatible', 'offline'])

const price = z.number('Use a number.').min(0, 'Use 0 or more.')

const priceShape = z.strictObject({
  input: price,
  output: price,
  cacheRead: price.optional(),
  cacheWrite: price.optional(),
})

/** Enough for every currency. The cost of a run stays a number then, whatever it uses. */
const mostPerMillion = 1_000_000_000
const newPrice = price.max(mostPerMillion, `Use ${mostPerMillion.toLocaleString('en')} at most.`)

export const newPriceShape = z.strictObject({
  input: newPrice,
  output: newPrice,
  cacheRead: newPrice.optional(),
  cacheWrite: newPrice.optional(),
})

export const pricesShape = z.record(z.string().min(1).max(200), priceShape)
