import type { Webhook } from '../../../contract.ts'
import { type BrandName, brandNamed } from '../../../ui/logos/brands.ts'

/** By how its deliveries are verified, or else by its name. */
export function brandOfWebhook({
  name,
  verification,
}: Pick<Webhook, 'name' | 'verification'>): BrandName | null {
  return brandNamed(verification?.preset ?? '') ?? brandNamed(name)
}
