import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const server = process.env.BELLHOP_URL ?? 'http://127.0.0.1:3000'

/** `vite build --config dashboard/vite.config.ts` writes what the server serves; `vite dev` asks a running server. */
export default defineConfig({
  root: import.meta.dirname,
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
        // What most pages share comes in one file: a page asks for a few files when it is opened, not for forty. What is heavy
        // and seldom needed stays apart.
        codeSplitting: {
          groups: [
            {
              name: 'shared',
              minShareCount: 7,
              test: (id: string) => !/codemirror|lezer|rjsf|markdown/.test(id),
            },
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
