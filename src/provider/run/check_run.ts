import { createHash } from 'node:crypto'
import { relative, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../core/is_object.ts'
import { hasErrors } from '../../core/issue.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import { isProblem } from '../../core/problem.ts'
import { formatSpan } from '../../core/span.ts'
import { findHint } from '../../core/suggest.ts'
import { findFileKind } from '../../document/yaml_files.ts'
import { checkPipeline, loadPipeline, makePipeline } from '../../pipeline/load_pipeline.ts'
import type { Pipeline, PipelineDefinition } from '../../pipeline/pipeline_schema.ts'
import { readActual } from '../../reconcile/model/actual_tree.ts'
import { digestFile } from '../../transfer/upload_file.ts'
import type { Checked } from '../check_resource.ts'
import type { CheckedResource, CheckedResources } from '../checked_resources.ts'
import type { PropertyChange } from '../compare_inputs.ts'
import { formatPropertyPath, isIgnored } from '../property_path.ts'
import { type Properties, unknownValue, type Values } from '../property_values.ts'
import { type InputFault, isUncertain } from '../resource_manifest.ts'
import type { RememberedTree } from '../tree_memory.ts'
import type { Connection } from '../write_resource.ts'
import { runInputs } from './run_schema.ts'

/** What runs of pipelines need of the provider. */
export interface RunPlace {
  /** Absolute path of the folder of the program. */
  readonly folder: string
  readonly checked: CheckedResources
  /** Absent before the provider is configured, and in tests of programs. */
  readonly connection: Connection | undefined
}

interface CheckPlace extends RunPlace {
  readonly manifestId: string
}

function findMissing(run: CheckedResource, tree: RememberedTree, place: CheckPlace): InputFault[] {
  const { checked, manifestId, connection } = place
  return checked.findMissing(run, { tree, manifestId, allowUndeclared: connection?.allowUndeclared ?? true })
}

/**
 * Checks the inputs of a run and completes their digest: of the definition, the file that is loaded, and the layers on the
 * server. A changed digest is a changed property, which runs the pipeline again.
 */
export async function checkRun(urn: string, news: Properties, place: CheckPlace): Promise<Checked> {
  const { values, secrets, unknowns } = news
  const found = [...checkInputs(values, unknowns)]
  const isOpen = unknowns.some((pointer) => !pointer.startsWith('/triggers'))
  const read = found.length > 0 ? { faults: [] } : await readPipeline(news, place.folder)
  const faults = [...found, ...read.faults]
  const { pipeline } = read
  if (pipeline === undefined || isOpen || faults.length > 0) {
    const digest = faults.length > 0 ? {} : { digest: unknownValue }
    return { values: { ...values, ...digest }, secrets, faults, warnings: [] }
  }
  const names = new Map(layersOf(pipeline).map((name, at) => [name, layerProperty(values, pipeline, at)]))
  place.checked.add({ urn, key: undefined, names })
  const tree = await freshTree(place.connection, names.keys())
  const missing = tree === undefined ? [] : findMissing({ urn, key: undefined, names }, tree, place)
  const digest = await digestRun(pipeline, tree)
  const hidden = secrets.some((pointer) => /^\/(?:pipeline|env)\b/.test(pointer)) ? ['/digest'] : []
  return {
    values: { ...values, digest },
    secrets: [...secrets, ...hidden],
    faults: missing,
    warnings: [],
  }
}

async function freshTree(connection: Connection | undefined, names: Iterable<string>) {
  if (connection === undefined) return undefined
  const tree = await connection.memory.load()
  await connection.memory.freshen([...names].flatMap((name) => tree.idOfKey.get(name) ?? []))
  return tree
}

function checkInputs(values: Values, unknowns: readonly Pointer[]): InputFault[] {
  const known = Object.keys(runInputs)
  const faults = Object.keys(values)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const hint = findHint(name, known) ?? `valid properties: ${known.join(', ')}`
      return { property: name, reason: `unknown property "${name}"; ${hint}` }
    })
  const { pipeline, env, triggers, digest } = values
  const refuse = (property: string, reason: string) => void faults.push({ property, reason })
  if (digest !== undefined) refuse('digest', 'is computed from the pipeline and its source; remove it')
  if (pipeline === undefined) refuse('pipeline', 'missing; set the path of a pipeline file, or a definition')
  else if (typeof pipeline !== 'string' && !isObject(pipeline))
    refuse('pipeline', 'expected the path of a pipeline file, or a definition')
  if (triggers !== undefined && !Array.isArray(triggers) && !unknowns.includes('/triggers'))
    refuse('triggers', 'expected a list')
  if (env === undefined || unknowns.includes('/env')) return faults
  if (!isObject(env)) refuse('env', 'expected strings by name')
  else if (isObject(pipeline)) refuse('env', 'is for pipeline files; write the values into the definition')
  else
    for (const [name, value] of Object.entries(env))
      if (typeof value !== 'string')
        refuse(
          formatPropertyPath(joinPointer('/env', name)),
          'expected a string; use String() or output.apply',
        )
  return faults
}

/** A pipeline, or the faults of its definition and of the file that it loads. */
interface ReadPipeline {
  readonly pipeline?: Pipeline
  readonly faults: readonly InputFault[]
}

/** Reads the pipeline of checked inputs: its file, or its definition. */
export async function readPipeline(inputs: Properties, folder: string): Promise<ReadPipeline> {
  const { pipeline: given } = inputs.values
  if (given === unknownValue) return { faults: [] }
  const read =
    typeof given === 'string' ? await readFile(given, inputs, folder) : readDefinition(inputs, folder)
  if (read.pipeline?.kind !== 'import' || read.faults.length > 0) return read
  const { from, folder: base } = read.pipeline
  if (from.file === unknownValue) return read
  const kind = await findFileKind(resolve(base, from.file)).catch(() => 'other' as const)
  if (kind === 'file') return read
  const reason = kind === 'absent' ? 'does not exist' : 'is not a readable file'
  const property = typeof given === 'string' ? 'pipeline' : 'pipeline.from.file'
  const start = relative(folder, base) || 'the folder of the program'
  return { faults: [{ property, reason: `"${from.file}" ${reason}; paths start from ${start}` }] }
}

async function readFile(path: string, { values }: Properties, folder: string): Promise<ReadPipeline> {
  try {
    const env = (values.env ?? {}) as Readonly<Record<string, string>>
    const { pipeline, issues } = await loadPipeline({ path, cwd: folder, env })
    const faults = issues.map(({ span, message, hint }) => {
      const place = span === undefined ? path : formatSpan(span)
      return { property: 'pipeline', reason: `${place}: ${message}${hint === undefined ? '' : `; ${hint}`}` }
    })
    return pipeline === undefined || hasErrors(issues) ? { faults } : { pipeline, faults: [] }
  } catch (error) {
    if (!isProblem(error)) throw error
    return {
      faults: [{ property: 'pipeline', reason: [error.message, error.hint].filter(Boolean).join(' ') }],
    }
  }
}

function readDefinition({ values, unknowns }: Properties, folder: string): ReadPipeline {
  const faults = checkPipeline(values.pipeline)
    .map((fault) => ({ ...fault, pointer: `/pipeline${fault.pointer}`, code: `manifest/${fault.kind}` }))
    .filter((fault) => !isUncertain(fault, '', unknowns))
    .map(({ pointer, message, hint }) => ({
      property: formatPropertyPath(pointer),
      reason: hint === undefined ? message : `${message}; ${hint}`,
    }))
  if (faults.length > 0) return { faults }
  return { pipeline: makePipeline(values.pipeline as PipelineDefinition, folder), faults: [] }
}

/** Lists the keynames of the layers of a pipeline. */
export function layersOf(pipeline: Pipeline): readonly string[] {
  return pipeline.kind === 'import' ? [pipeline.to.layer] : pipeline.from.layers
}

function layerProperty({ pipeline: given }: Values, { kind }: Pipeline, at: number): string {
  if (typeof given === 'string') return 'pipeline'
  return kind === 'import' ? 'pipeline.to.layer' : `pipeline.from.layers[${at}]`
}

/** Returns the digest of all that a run depends on. Paths and descriptions differ between machines and make no difference. */
async function digestRun(pipeline: Pipeline, tree: RememberedTree | undefined): Promise<string> {
  const { folder, description: _, ...definition } = pipeline
  const from = pipeline.kind === 'import' ? { ...pipeline.from, file: undefined } : pipeline.from
  const source =
    pipeline.kind === 'import' ? (await digestFile(resolve(folder, pipeline.from.file))).sha256 : undefined
  const layers = layersOf(pipeline).map((name) => layerState(name, pipeline, tree))
  return createHash('sha256')
    .update(JSON.stringify(sortKeys([{ ...definition, from }, source, layers])))
    .digest('hex')
}

/** What a run depends on of a layer: an import of its identity, an export of its data, too. */
function layerState(name: string, { kind }: Pipeline, tree: RememberedTree | undefined): unknown {
  const id = tree?.idOfKey.get(name)
  const wire = id === undefined ? undefined : tree?.byId.get(id)
  return wire === undefined ? null : [id, kind === 'import' ? null : (readActual(wire).dataVersion ?? null)]
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isObject(value)) return value
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((name) => [name, sortKeys(value[name])]))
}

/** Compares the inputs of a run with earlier ones: what makes it run again. */
export function compareRuns(
  olds: Properties,
  news: Properties,
  ignored: readonly string[],
): PropertyChange[] {
  const differs = (name: string) => !isDeepStrictEqual(olds.values[name], news.values[name])
  const pipeline = differs('digest') ? [differs('pipeline') ? 'pipeline' : 'digest'] : []
  const triggers = news.values.triggers === unknownValue || differs('triggers') ? ['triggers'] : []
  return [...pipeline, ...triggers]
    .filter((path) => !isIgnored(path, ignored))
    .map((path) => ({
      path,
      kind: olds.values[path] === undefined ? 'add' : news.values[path] === undefined ? 'delete' : 'update',
      replaces: false,
    }))
}
