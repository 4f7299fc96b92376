import { lockChannel } from '../../events/lock-channel.ts'
import { type Rule, ruleVariables } from '../../events/rules/contract.ts'
import { type FieldError, invalidFields } from '../../http/problems.ts'
import type { Conditions } from '../../platform/conditions/open-conditions.ts'
import type { Db } from '../../platform/db/database.ts'
import type { ChannelId } from '../../shared/ids.ts'

/** Before they are saved or tried: each condition can be read. Names the rule, and where in it the fault is. */
export async function refuseWrongConditions(conditions: Conditions, rules: readonly Rule[]): Promise<void> {
  const errors: FieldError[] = []
  for (const [index, { when }] of rules.entries()) {
    const fault = await conditions.check(when, ruleVariables)
    if (fault)
      errors.push({
        pointer: `/rules/${index}/when`,
        detail: `Rule ${index + 1}, character ${fault.at}: ${fault.says}`,
      })
  }
  if (errors.length > 0) throw invalidFields(errors)
}

/** In the transaction that saves them: the channels that they name exist. */
export async function refuseMissingRuleChannels(tx: Db, rules: readonly Rule[]): Promise<void> {
  const errors: FieldError[] = []
  for (const [index, { channelId }] of rules.entries()) {
    // The request's schema has matched it against the pattern.
    if (channelId === undefined || (await lockChannel(tx, channelId as ChannelId))) continue
    errors.push({
      pointer: `/rules/${index}/channelId`,
      detail: 'There is no such channel. Choose another one.',
    })
  }
  if (errors.length > 0) throw invalidFields(errors)
}
