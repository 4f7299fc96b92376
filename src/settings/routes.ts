import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { defineRevisionEndpoints } from '../revisions/define-revision-endpoints.ts'
import { type ChangeContext, changeSettings } from './change-settings.ts'
import { modelTestResultShape, modelTestShape, settingsPatchShape, settingsShape } from './contract.ts'
import { readSettings as readStored } from './open-settings.ts'
import { documentOf } from './settings-document.ts'
import { showSettings } from './show-settings.ts'
import { type TestContext, testModel } from './test-model.ts'

type Context = ChangeContext & TestContext

const define = endpoint<Context>()

export const readSettings = define({
  summary: 'Get the current settings; keys show only whether they are set',
  returns: settingsShape,
  answer: (ctx) => showSettings(ctx),
})

export const patchSettings = define({
  summary:
    'Update settings (merge patch); `model: null` returns to the environment’s model or the offline agent',
  body: settingsPatchShape,
  returns: settingsShape,
  problems: ['address-not-allowed', 'invalid-input'],
  async answer(ctx, { body, caller }) {
    await changeSettings(ctx, caller, body)
    return await showSettings(ctx)
  },
})

export const revisions = defineRevisionEndpoints({
  of: 'the settings',
  params: z.object({}),
  subject: () => 'settings' as const,
  read: async ({ db }: Context) => documentOf(await readStored(db)),
  patch: settingsPatchShape,
  merged: ['agent', 'model', 'fallbackModel', 'limits', 'retention', 'approvals', 'prices'],
  async save(ctx, caller, _, patch, restored) {
    await changeSettings(ctx, caller, patch, restored)
    return await showSettings(ctx)
  },
  returns: settingsShape,
})

export const tryModel = define({
  summary: 'Test a model with a one-word question, using the given fields or the current settings',
  body: modelTestShape,
  returns: modelTestResultShape,
  problems: ['address-not-allowed', 'invalid-input'],
  answer: (ctx, { body }) => testModel(ctx, body),
})
