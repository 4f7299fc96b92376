import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const server = process.env.BELLHOP_URL ?? 'http://127.0.0.1:3000'

/** Large, and needed in few places only. */
const seldom = /codemirror|lezer|rjsf|markdown/
/** The checks that forms share with the server, without all emoji. */
const schemas = /node_modules.zod|contract\.ts|src.shared(?!.emoji)|schema-errors/
/** What every form uses. */
const fields = /@mantine.form|Input|number-format|Textarea|ui.(search-field|use-draft-form|form-foot)/
/** Pickers, and what opens over a page. */
const choices = /Combobox|Select|Checkbox|Radio|Pill|ScrollArea|Modal|remove-scroll|ui.filter-select/

/** What Home shows of other pages: as a file each, most of what is sent would be headers. */
const activity = /dashboard.(pages.(runs|status|events.replay-several)|ui.*(bulk|confirm)|hooks)/

/** `vite build --config dashboard/vite.config.ts` writes what the server serves; `vite dev` uses a running server. */
export default defineConfig({
  root: import.meta.dirname,
  // The server writes the base path into the page.
  base: './',
  plugins: [react(), precompress()],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: 'es2023',
    // Inlined data: URLs would need an exception in the content security policy.
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      output: {
        // A page loads a few files and not forty, and no fields that it does not have.
        codeSplitting: {
          groups: [
            { name: 'start', priority: 3, tags: ['$initial'] },
            {
              name: 'shared',
              priority: 2,
              minShareCount: 12,
              test: (id: string) => ![seldom, schemas, fields, choices].some((kind) => kind.test(id)),
            },
            { name: 'schemas', priority: 1, minShareCount: 2, test: schemas },
            { name: 'fields', priority: 1, minShareCount: 4, test: fields },
            { name: 'choices', minShareCount: 4, test: choices },
            { name: 'activity', minShareCount: 3, test: activity },
          ],
        },
      },
      // Only a test function of @rjsf/core imports it; tree shaking removes that function and the import.
      external: ['@rjsf/validator-ajv8'],
      treeshake: { moduleSideEffects: [{ test: /validator-ajv8/, external: true, sideEffects: false }] },
    },
  },
  server: { proxy: { '/api': server, '/hooks': server } },
})

/** Writes compressed copies beside the assets, so that the server need not compress them at each request. */
function precompress(): Plugin {
  const brotli = promisify(brotliCompress)
  const zip = promisify(gzip)
  // 6 % smaller than level 9, in two seconds; the last level takes three times as long for one percent.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 10 }
  return {
    name: 'precompress',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const assets = join(dir, 'assets')
      const files = (await readdir(assets)).filter((file) => /\.(js|css|svg)$/.test(file))
      await Promise.all(
        files.map(async (file) => {
          const path = join(assets, file)
          const content = await readFile(path)
          if (content.length < 1024) return
          await writeFile(`${path}.br`, await brotli(content, { params }))
          await writeFile(`${path}.gz`, await zip(content, { level: 9 }))
        }),
      )
    },
  }
}
