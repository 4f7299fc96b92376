/** Why a run ended without an answer, and what a person in the channel can do about it. */
const remedies: Record<string, string> = {
  model_unavailable:
    'The model is not responding. Try again later, or ask an admin to check Settings → Model.',
  model_not_set_up:
    'Its model is not set up. An admin can set it up under Settings → Model, or choose another model for the webhook or schedule.',
  model_no_credit:
    'The account at the model provider has no credit left. An admin can add some there, or choose another model under Settings → Model.',
  model_key_refused:
    'The model provider refused the API key. An admin can enter another one under Settings → Model.',
  model_not_found:
    'The provider does not know this model or address. An admin can choose another model under Settings → Model.',
  model_without_tools:
    'The model cannot call tools, which the agent needs. An admin can choose another under Settings → Model.',
  model_address_blocked:
    'The address of the model is not allowed. An admin can change it under Settings → Model, or set MODEL_BASE_URL on the server.',
  model_error: 'The model rejected the request. The run page shows its error message.',
  model_refused: 'The model declined to answer this. Try rephrasing it, or use another model.',
  empty_answer:
    'The model gave an empty answer twice. Try again, or ask an admin to choose another model under Settings → Model.',
  context_overflow:
    'This did not fit into the model’s context window. Use a model with a larger window, or a narrower prompt.',
  steps_exceeded:
    'It reached the limit of steps for a run. An admin can raise the limit under Settings → Limits.',
  time_exceeded: 'It reached the time limit for a run. An admin can raise the limit under Settings → Limits.',
  cost_exceeded: 'It reached the cost limit for a run. An admin can raise the limit under Settings → Limits.',
  tokens_exceeded:
    'It reached the token limit for a run. An admin can raise the limit under Settings → Limits.',
  channel_gone: 'Its channel was removed. An operator can choose another one for the schedule.',
  connector_gone: 'A connector that it may use was deleted. An operator can change the list of the schedule.',
  internal_error: 'Bellhop had an internal error. The server log has the details.',
}

export function composeNotice(code: string, runUrl: string): string {
  return `⚠️ I could not finish this. ${remedies[code] ?? 'The run page says why.'} [See the run](${runUrl})`
}
