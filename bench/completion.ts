/** An answer in the Chat Completions format: text, or a tool call. */
export function completion(said: string | { name: string; arguments: string }): string {
  const message =
    typeof said === 'string'
      ? { role: 'assistant', content: said }
      : {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: said }],
        }
  return JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'instant',
    choices: [{ index: 0, message, finish_reason: typeof said === 'string' ? 'stop' : 'tool_calls' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  })
}
