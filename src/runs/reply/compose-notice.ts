/** Why a run ended without an answer, and what a person in the channel can do about it. */
const remedies: Record<string, string> = {
  model_unavailable:
    'The model does not answer. Try again later, or ask an admin to look at Settings → Model.',
  model_not_set_up:
    'There is no account for its model. An admin can set one up under Settings → Model, or choose another model for the webhook.',
  model_no_credit:
    'The account at the model provider has no credit left. An admin can add some there, or choose another model under Settings → Model.',
  model_key_refused: 'The model refused its API key. An admin can set it under Settings → Model.',
  model_not_found:
    'The model, or its address, is not known to its provider. An admin can choose another under Settings → Model.',
  model_without_tools:
    'The model cannot call tools, which the agent needs. An admin can choose another under Settings → Model.',
  model_address_blocked:
    'The address of the model is not allowed. An admin can change it under Settings → Model, or set MODEL_BASE_URL on the server.',
  model_error: 'The model refused the request. The run page has its words.',
  model_refused: 'The model declined to answer this. Other words, or another model, may help.',
  empty_answer:
    'The model gave an empty answer twice. Try again, or ask an admin to choose another under Settings → Model.',
  context_overflow:
    'There was more to read than the model can hold. A model with a larger window, or a narrower prompt, helps.',
  steps_exceeded: 'It took more steps than a run may take. An admin can raise the limit in the settings.',
  time_exceeded: 'It took longer than a run may take. An admin can raise the limit in the settings.',
  cost_exceeded: 'It cost more than a run may cost. An admin can raise the limit in the settings.',
  tokens_exceeded: 'It used more tokens than a run may use. An admin can raise the limit in the settings.',
  internal_error: 'Bellhop itself failed. The log on the server has the details.',
}

export function composeNotice(code: string, runUrl: string): string {
  return `⚠️ I could not finish this. ${remedies[code] ?? 'The run page says why.'} [See the run](${runUrl})`
}
