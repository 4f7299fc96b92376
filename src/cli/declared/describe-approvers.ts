type Fields = Record<string, unknown>
type Named = Fields & { id: string; name: string }
/** Of a tool that is not approved by an admin. */
export type ToolApprovers = Fields & { toolId: string }

/** People are known by their addresses, which mean the same in another installation. */
export function describeGroups(groups: readonly Named[], users: readonly Named[]): Fields[] {
  return groups.map(({ name, userIds, slackUserGroup, oidcClaim }) => ({
    name,
    users: Array.isArray(userIds)
      ? userIds.map((id) => users.find((user) => user.id === id)?.email ?? id)
      : [],
    slackUserGroup,
    oidcClaim,
  }))
}

/** With the names of groups. What is as without a line about it is left out. */
export function describeApprovers(
  groups: readonly Named[],
  { approvers, approvalsNeeded, requesterMayApprove, escalate }: Fields,
): Fields {
  const nameOf = (id: unknown) => groups.find((group) => group.id === id)?.name ?? id
  return {
    ...(Array.isArray(approvers) && approvers.length > 0 ? { approvers: approvers.map(nameOf) } : {}),
    ...(typeof approvalsNeeded === 'number' ? { approvalsNeeded } : {}),
    ...(typeof requesterMayApprove === 'boolean' ? { requesterMayApprove } : {}),
    ...(Array.isArray(escalate) && escalate.length > 0
      ? { escalate: escalate.map((step: Fields) => ({ ...step, to: nameOf(step.to) })) }
      : {}),
  }
}

/** By the name of the tool, also for those of an MCP server. */
export function describeToolApprovers(
  groups: readonly Named[],
  tools: readonly Fields[],
  toolApprovers: readonly ToolApprovers[],
): { approvers?: Fields } {
  const entries = tools.flatMap(({ id, name }) => {
    const own = toolApprovers.find(({ toolId }) => toolId === id)
    return own ? [[String(name), describeApprovers(groups, own)] as const] : []
  })
  return entries.length > 0 ? { approvers: Object.fromEntries(entries) } : {}
}
