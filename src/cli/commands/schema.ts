import { describeApi } from '../../contract/openapi/openapi.ts'
import { problem } from '../../contract/problems.ts'
import { findHint } from '../../core/suggest.ts'
import { manifestSchema } from '../../manifest/schema/manifest_schema.ts'
import { pipelineSchema } from '../../pipeline/pipeline_schema.ts'
import type { CommandSpec } from '../command.ts'
import { planEventSchema } from '../print/plan_schema.ts'
import { writeLine } from '../terminal.ts'
import { programVersion } from '../version.ts'

/** Schemas by kind of file that people write. */
export const schemas: Readonly<Record<string, () => object>> = {
  manifest: manifestSchema,
  pipeline: pipelineSchema,
}

/**
 * Returns the JSON Schema of a kind of file, or the OpenAPI document.
 *
 * @throws {Problem} usage/bad-argument if the kind is unknown
 */
export function schemaOf(kind: string): object {
  const kinds: typeof schemas = {
    ...schemas,
    plan: planEventSchema,
    openapi: () => describeApi({ version: programVersion() }),
  }
  const names = Object.keys(kinds)
  const make = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  if (make !== undefined) return make()
  throw problem('usage/bad-argument', `Unknown schema "${kind}".`, {
    hint: findHint(kind, names) ?? `Use one of ${names.join(', ')}.`,
  })
}

/** The command `schema`. */
export const schemaCommand: CommandSpec = {
  name: 'schema',
  summary: 'print the JSON Schema of manifests, pipelines or plans, or the OpenAPI document',
  examples: ['landform schema manifest > manifest.schema.json', 'landform schema pipeline'],
  declare: (command) =>
    command.argument('<kind>', 'manifest, pipeline, plan (a line of plan --json) or openapi'),
  run: async ({ arguments: [kind] }, terminal) => {
    writeLine(terminal.out, JSON.stringify(schemaOf(String(kind)), null, 2))
    return 0
  },
}
