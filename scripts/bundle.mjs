/**
 * Bundles the command line from `dist/` into few files, `dis./build/`: a short command spends most of its time on finding and
 * loading the hundreds of modules of which it is made.
 */
import { readFileSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { build } from 'esbuild'
import { joinChunks } from './build/joined_chunks.mjs'
import { partOfUndici } from './build/part_of_undici.mjs'
import { inRoot } from './setup/paths.mjs'

/** Packages that the commands load; what only servers load, or what is not JavaScript, stays where npm installs it. */
const bundledPackages = [
  'ajv',
  'ajv-formats',
  'commander',
  'fast-deep-equal',
  'fast-uri',
  'fastest-levenshtein',
  'json-schema-traverse',
  'p-queue',
  'saxes',
  'undici',
  'xmlchars',
  'yaml',
]

const folder = 'dist/bundle'

/** Modules find their files, workers and packages from their own place: `dist/` has all of them beside the bundle. */
const ownPlaces = {
  name: 'own-places',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (!path.startsWith(inRoot('dist/'))) return undefined
      const text = readFileSync(path, 'utf8')
      const place = relative(inRoot(folder), path).replaceAll(sep, '/')
      return { contents: text.replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`) }
    })
  },
}

const otherPackages = {
  name: 'other-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      if (kind === 'entry-point') return undefined
      const name = path.split('/', path.startsWith('@') ? 2 : 1).join('/')
      return bundledPackages.includes(name) ? undefined : { path, external: true }
    })
  },
}

const options = {
  entryPoints: [inRoot('dist/cli/main.js')],
  absWorkingDir: inRoot(''),
  outdir: folder,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // Packages in the older module format call `require` for modules of Node.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  legalComments: 'linked',
  logLevel: 'warning',
  plugins: [partOfUndici, ownPlaces, otherPackages],
}

// Without chunks that are joined, a plan would load eighty chunks: finding and linking them takes longer than their code.
const joined = await joinChunks(
  options,
  ['program', 'commands/validate', 'commands/plan'].map((name) => `dist/cli/${name}.js`),
)
await build({ ...options, plugins: [joined, ...options.plugins] })
