import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import standalone from 'ajv/dist/standalone/index.js'
import type { createAjv } from '../../src/contract/schema/validate.ts'
import type * as librarySchema from '../../src/manifest/schema/library_schema.ts'

type Library = typeof librarySchema

/** Replaces the compiler of the definitions of manifests in a folder of built code by compiled definitions. */
export async function writeValidators(folder: string): Promise<void> {
  const load = (path: string) => import(pathToFileURL(join(folder, path)).href)
  const compiler = (await load('contract/schema/validate.js')) as { createAjv: typeof createAjv }
  const library = (await load('manifest/schema/library_schema.js')) as Library
  const write = (name: string, text: string) => writeFileSync(join(folder, 'manifest/schema', name), text)
  write('compiled_definitions.js', compileDefinitions(compiler.createAjv, library))
  write(
    'compile_definition.js',
    `import * as compiled from './compiled_definitions.js'
export const compileDefinition = (name) => compiled[name]
`,
  )
}

/** Returns a module that exports the validator of each definition of a library by name. */
export function compileDefinitions(
  create: typeof createAjv,
  { librarySchema, referenceTo }: Library,
): string {
  const library = librarySchema()
  const ajv = create({ faults: 'all', library }, { optimize: true, source: true, esm: true })
  const references = Object.keys(library.definitions).map((name) => [name, referenceTo(name)])
  const code = standalone.default(ajv, Object.fromEntries(references))
  // Ajv writes `require` in modules, too.
  const imports: string[] = []
  const body = code.replaceAll(/require\("([^"]+)"\)/g, (_, path) => {
    imports.push(`import required${imports.length} from '${path}.js'`)
    return `required${imports.length - 1}`
  })
  return [...imports, body].join('\n')
}
