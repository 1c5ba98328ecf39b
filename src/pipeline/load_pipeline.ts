import { dirname, relative, resolve } from 'node:path'
import { problem } from '../contract/problems.ts'
import type { Fault, ShowPart } from '../contract/schema/fault.ts'
import { createValidatorCompiler } from '../contract/schema/validate.ts'
import { compareIssues, hasErrors, type Issue } from '../core/issue.ts'
import { decodeText } from '../document/decode_text.ts'
import { parseYaml } from '../document/parse_yaml.ts'
import { redactText, redactValue } from '../document/redact.ts'
import { type Environment, resolveValues } from '../document/resolve_values.ts'
import { isLabelled, readBytes } from '../document/yaml_files.ts'
import { keySpanAt, spanAt, type YamlDocument } from '../document/yaml_node.ts'
import { ExportSchema, ImportSchema, type Pipeline, type PipelineDefinition } from './pipeline_schema.ts'

/** Location of a pipeline file. */
export interface PipelineSource {
  /** Path of the file, absolute or relative to `cwd`. */
  readonly path: string
  /** Folder to which displayed paths are relative. */
  readonly cwd: string
  readonly env: Environment
}

/** A pipeline, or its issues if it is invalid; `text` is the file without secrets, for excerpts. */
export interface LoadedPipeline {
  readonly pipeline?: Pipeline
  readonly issues: readonly Issue[]
  readonly text: string
}

const compile = createValidatorCompiler({ faults: 'all' })
const validators = { import: compile(ImportSchema), export: compile(ExportSchema) }

/**
 * Loads a pipeline file. Reports all faults as issues, in the order of the file.
 *
 * @throws {Problem} file/not-found, file/unreadable
 */
export async function loadPipeline({ path, cwd, env }: PipelineSource): Promise<LoadedPipeline> {
  const absolute = resolve(cwd, path)
  const file = relative(cwd, absolute)
  const decoded = decodeText(file, await readFile(absolute, file))
  if ('issue' in decoded) return { issues: [decoded.issue], text: '' }
  const { documents, issues } = parseYaml(file, decoded.text)
  const text = redactText(decoded.text, documents)
  const [document] = documents
  if (document === undefined) return { issues: [...issues, emptyFile(file)], text }
  const { value, issues: unresolved, expressions } = resolveValues(document, env)
  const show = (pointer: string, part: unknown) => redactValue(part, pointer, expressions)
  const faults = isLabelled(value, 'manifest', 'pipeline')
    ? [manifestInstead(document)]
    : checkPipeline(value, show).map((fault) => issueOf(document, fault))
  const all = [...issues, ...unresolved, ...faults].sort(compareIssues)
  if (hasErrors(all)) return { issues: all, text }
  return { pipeline: makePipeline(value as PipelineDefinition, dirname(absolute)), issues: all, text }
}

/** Checks the definition of a pipeline, which is the value of its file. */
export function checkPipeline(value: unknown, show?: ShowPart): Fault[] {
  return [...validators[kindOf(value)](value, show), ...findKeyFaults(value)]
}

/** Makes a pipeline of a valid definition; its paths start from the absolute path of a folder. */
export function makePipeline(definition: PipelineDefinition, folder: string): Pipeline {
  return { kind: kindOf(definition), ...definition, folder } as Pipeline
}

/** Finds a key without the mode sync, and the mode without a key. */
function findKeyFaults(value: unknown): Fault[] {
  const to = (value as { readonly to?: unknown } | null)?.to
  const { mode, key } = (typeof to === 'object' && to !== null ? to : {}) as Readonly<Record<string, unknown>>
  if (mode === 'sync' && key === undefined) {
    const hint = 'name the field that identifies a feature: key: code'
    return [{ kind: 'missing-field', pointer: '/to', message: 'mode sync requires a key', hint }]
  }
  if (mode === 'sync' || key === undefined) return []
  const hint = 'write mode: sync, or remove the key'
  return [{ kind: 'bad-value', pointer: '/to/key', message: 'a key is only allowed with mode sync', hint }]
}

async function readFile(path: string, shown: string): Promise<Buffer> {
  try {
    return await readBytes(path)
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw problem(isAbsent ? 'file/not-found' : 'file/unreadable', `Cannot read the pipeline ${shown}.`, {
      cause: error,
    })
  }
}

function kindOf(value: unknown): Pipeline['kind'] {
  const from = (value as { from?: unknown } | null)?.from
  return typeof from === 'object' && from !== null && 'layers' in from ? 'export' : 'import'
}

function manifestInstead(document: YamlDocument): Issue {
  return issueOf(document, {
    kind: 'unknown-field',
    pointer: '/manifest',
    message: 'the file is a manifest, not a pipeline',
    hint: 'apply it with "landform apply FILE"',
  })
}

function issueOf(document: YamlDocument, { kind, pointer, message, hint }: Fault): Issue {
  const span = kind === 'bad-value' ? spanAt(document, pointer) : keySpanAt(document, pointer)
  return { code: `pipeline/${kind}`, severity: 'error', message, span, pointer, ...(hint ? { hint } : {}) }
}

function emptyFile(file: string): Issue {
  const span = { file, line: 1, column: 1, endLine: 1, endColumn: 1 }
  return { code: 'pipeline/missing-field', severity: 'error', message: 'the file contains no pipeline', span }
}
