import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const server = process.env.BELLHOP_URL ?? 'http://127.0.0.1:3000'

/** Heavy, and needed in a few places only. */
const seldom = /codemirror|lezer|rjsf|markdown/
/** What every form is made of. */
const fields = /@mantine.form|Input|Textarea|ui.(search-field|use-kept-form|form-foot)/
/** What is chosen from, and what opens over a page. */
const choices = /Combobox|Select|Checkbox|Radio|Pill|ScrollArea|Modal|remove-scroll|ui.filter-select/

/** `vite build --config dashboard/vite.config.ts` writes what the server serves; `vite dev` asks a running server. */
export default defineConfig({
  root: import.meta.dirname,
  // The server writes into the page where its files lie.
  base: './',
  plugins: [react()],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: 'es2023',
    // Anything inlined as data: would need a hole in the content security policy.
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      output: {
        // A page asks for a few files when it is opened, not for forty, and not for fields that it does not have.
        codeSplitting: {
          groups: [
            { name: 'start', priority: 3, tags: ['$initial'] },
            {
              name: 'shared',
              priority: 2,
              minShareCount: 7,
              test: (id: string) => ![seldom, fields, choices].some((kind) => kind.test(id)),
            },
            { name: 'fields', priority: 1, minShareCount: 4, test: fields },
            { name: 'choices', minShareCount: 4, test: choices },
          ],
        },
      },
      // Only a function for the tests of @rjsf/core imports it; the bundle leaves that function out, and the import with it.
      external: ['@rjsf/validator-ajv8'],
      treeshake: { moduleSideEffects: [{ test: /validator-ajv8/, external: true, sideEffects: false }] },
    },
  },
  server: { proxy: { '/api': server, '/hooks': server } },
})
