/** In percent: from this success rate on, a webhook is no trouble. */
export const fineSuccess = 95
