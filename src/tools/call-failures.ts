import type { ToolAnswer, ToolErrorCode } from '../connectors/call/callable-tool.ts'

export function noSuchTool(name: string): string {
  return `There is no tool ${name} here. Use one of the tools you were given.`
}

/** The answer of a call that got none. */
export function failure(code: ToolErrorCode, message: string): ToolAnswer {
  const none = { status: null, contentType: null, headers: '', body: '', images: [] }
  return { ...none, error: { code, message }, warnings: [] }
}

export function denial(who: string | undefined, reason: string | null): string {
  return `${who ?? 'An admin'} denied it${reason ? `: ${reason}` : '.'}`
}

export const unknownOutcome =
  'Bellhop was interrupted while this request was under way, so it may or may not have taken effect. It was not sent again. ' +
  'Check the target before you ask for it once more.'
export const voided =
  'The tool, its connector, the channel, the run or the requester’s rights changed after an admin was asked, so the approval is void and nothing was sent.'
