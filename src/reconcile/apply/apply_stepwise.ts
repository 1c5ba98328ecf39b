import type { Api } from '../../api/api.ts'
import { supportsRoute } from '../../api/detect_server.ts'
import type { Representation } from '../../contract/bodies/bodies.ts'
import { outcomeWords } from '../../contract/bodies/journal.ts'
import type { MetadataValue } from '../../contract/bodies/resource.ts'
import type { WireStyleIssue } from '../../contract/bodies/style_issue.ts'
import { decodeResource } from '../../contract/dialect/dialect_codec.ts'
import { withOwnId } from '../../contract/field_marks.ts'
import { problem } from '../../contract/problems.ts'
import { isProblem } from '../../core/problem.ts'
import { blindLoadProblem } from '../../transfer/data_loss.ts'
import { digestSource, uploadSource } from '../../transfer/pack.ts'
import { discardSource, loadTimeoutMs, type PreparedSource } from '../../transfer/prepare_source.ts'
import { writeSource } from '../../transfer/source_encoding.ts'
import { readActual } from '../model/actual_tree.ts'
import { type Change, type DataLoad, journalActionOf, type Plan, type Step } from '../model/change.ts'
import { writeFields } from '../model/layer_fields.ts'
import { computeFromPart } from '../plan/compute_from_part.ts'
import { lossHint, sourceDigest } from '../plan/data/decide_load.ts'
import { noPart } from '../plan/partial_tree.ts'
import { liveReader } from '../plan/plan_reader.ts'
import type { ApplyOptions } from './apply_options.ts'
import type { ApplyEvent, Report } from './outcome.ts'
import { prepareLoad, tellPrepared } from './prepare_loads.ts'
import {
  addLoad,
  type Body,
  type BodyContext,
  listRenamed,
  writeBody,
  writePreparedBody,
  writeRename,
} from './request_body.ts'
import { runSteps } from './schedule_steps.ts'
import { createOnce, remove, type SendOptions, update } from './send_request.ts'
import { explainStale, explainStaleDeletion, findStaleDeletion } from './stale.ts'
import { Tally } from './tally.ts'
import { addFiles, hasFiles, uploadFiles } from './upload_files.ts'

/**
 * Applies a plan request by request, concurrently and in order of dependencies. A failure skips only its dependents. A
 * new plan continues where a failed apply stopped.
 */
export async function applyByLevel(options: ApplyOptions): Promise<Report> {
  const { plan, api, concurrency = 8, signal, breakOff, onEvent } = options
  const context: StepContext = {
    api,
    plan,
    ids: new Map(plan.ids),
    renamed: listRenamed(plan),
    prepares: plan.landform !== undefined && (await supportsRoute(api, 'source.prepare', signal)),
    sources: new Map(),
    styleIssues: new Map(),
    signal: breakOff,
    journalOf: ({ kind, change }) => {
      const place = options.places?.get(change)
      if (options.journal === undefined || place === undefined) return undefined
      return `${options.journal}/${place}/${kind === 'delete' ? 'deleted' : outcomeWords[journalActionOf(change)]}`
    },
    onEvent,
  }
  const { ids, sources, styleIssues } = context
  const tally = new Tally({ plan, ids, sources, styleIssues, onEvent })
  const results = await runSteps(plan.steps, {
    concurrency,
    signal,
    run: async (step) => {
      tally.start(step)
      await doStep(context, step)
    },
    onResult: (step, result) => tally.add(step, result),
  })
  const interrupted =
    signal?.aborted === true && [...results.values()].some(({ state }) => state === 'skipped')
  return { outcomes: tally.outcomes(), interrupted, atomic: false }
}

/** Context of the steps of an apply. */
interface StepContext {
  readonly api: Api
  readonly plan: Plan
  /** Ids by key, including created resources. */
  readonly ids: Map<string, number>
  /** Keys of resources that get a temporary name. */
  readonly renamed: ReadonlySet<string>
  /** Whether the server prepares sources before it loads them. */
  readonly prepares: boolean
  /** Prepared data by change. */
  readonly sources: Map<Change, PreparedSource>
  /** Issues of written styles by change. */
  readonly styleIssues: Map<Change, readonly WireStyleIssue[]>
  /** Names the change of a step for the journal of the server. */
  readonly journalOf: (step: Step) => string | undefined
  /** Aborts running requests. */
  readonly signal?: AbortSignal | undefined
  readonly onEvent?: ((event: ApplyEvent) => void) | undefined
}

/** Runs a step. */
async function doStep(context: StepContext, step: Step): Promise<void> {
  const { change } = step
  if (step.kind === 'delete') await removeUnchanged(context, step)
  else if (step.kind === 'rename') await rename(context, step)
  else if (change.action === 'create' || change.action === 'replace') await create(context, step)
  else await rewrite(context, step)
}

const sending = ({ api, signal }: StepContext): SendOptions => ({ api, signal })

function idOf({ id, key }: Change): number {
  if (id === undefined) throw problem('apply/failed', `Cannot apply the change to "${key}": it has no id.`)
  return id
}

/** Options of the request that applies a step. */
const sendingStep = (context: StepContext, step: Step): SendOptions => ({
  ...sending(context),
  journal: context.journalOf(step),
})

async function rename(context: StepContext, step: Step): Promise<void> {
  const { change, below } = step
  const { id, cls } = below ?? { ...change, id: idOf(change) }
  const ifVersion = below === undefined ? change.ifVersion : undefined
  await update(sendingStep(context, step), id, { cls, body: writeRename(step), ifVersion })
}

/** Deletes a resource, unless it holds something that the plan does not show. */
async function removeUnchanged(context: StepContext, step: Step): Promise<void> {
  const { api, plan, signal } = context
  const id = idOf(step.change)
  if (plan.landform !== undefined) {
    const { found } = await computeFromPart({
      reader: liveReader(api, signal),
      part: { ...noPart, ids: [id], below: [id] },
      compute: async ({ actual }) => ({ found: findStaleDeletion(step.change, actual) }),
    })
    if (found !== undefined) throw await explainStaleDeletion(api, step.change, { ...found, signal })
  }
  await remove(sendingStep(context, step), id)
}

async function create(context: StepContext, step: Step): Promise<void> {
  const { change } = step
  const body = await bodyOf(context, change)
  const id = await keepOrDiscard(
    context,
    change,
    createOnce(loading(context, step), { cls: change.cls, body }),
  )
  context.ids.set(change.key, id)
  if (context.plan.landform === undefined) await markManager(context, { change, id, body })
  await setFields(context, change, id)
}

async function rewrite(context: StepContext, step: Step): Promise<void> {
  const { change } = step
  const id = idOf(change)
  const ifVersion = requiredVersion(context, change)
  let body: Body | undefined
  try {
    body = await bodyOf(context, change)
    const changed = { cls: change.cls, body, ifVersion }
    await keepOrDiscard(context, change, update(loading(context, step), id, changed))
  } catch (error) {
    if (!isProblem(error) || !staleCodes.includes(error.code)) throw error
    if (await isLoaded(context, change)) return
    throw error.code === 'resource/stale'
      ? await explainStale(context.api, change, { fault: error, signal: context.signal })
      : error
  }
  await setFields(context, change, id)
}

/** Failures of a load that was made already, by a request whose response was lost, or by another apply. */
const staleCodes: readonly string[] = ['resource/stale', 'apply/stale', 'source/not-prepared']

/** A load requires the planned version: two loads at once would leave data that no source marker describes. */
function requiredVersion({ plan, renamed }: StepContext, { data, key, version, ifVersion }: Change) {
  // A rename to a temporary name has changed the version.
  if (renamed.has(key)) return ifVersion === undefined ? undefined : ifVersion + 1
  const isLoad = data !== undefined && plan.landform !== undefined
  return isLoad ? version : ifVersion
}

/** Tells whether a layer has the data of a change. */
async function isLoaded({ api, signal }: StepContext, { id, data }: Change): Promise<boolean> {
  if (id === undefined || data === undefined) return false
  const wire = await api.call('resource.get', { params: { id }, signal })
  const { source, dataVersion } = readActual(decodeResource(wire) as unknown as Representation)
  const { sha256 } = await digestSource(data.path)
  const isSame = source?.digest === sourceDigest(sha256, data.options)
  return isSame && source.version === data.version && dataVersion === data.version
}

function loading(context: StepContext, step: Step): SendOptions {
  const { change } = step
  const onStyleIssues = (issues: readonly WireStyleIssue[]) => void context.styleIssues.set(change, issues)
  const options = { ...sendingStep(context, step), onStyleIssues }
  return change.data === undefined ? options : { ...options, timeoutMs: loadTimeoutMs }
}

async function bodyOf(context: StepContext, change: Change): Promise<Body> {
  const uploads = hasFiles(change) ? await uploadFiles(context, change, context.signal) : undefined
  const body = await dataBodyOf(context, change)
  tellPrepared(context, change, { source: context.sources.get(change), files: uploads })
  return addFiles(body, change, uploads)
}

/** Writes the body of a change with its data, without its files. */
async function dataBodyOf(context: StepContext, change: Change): Promise<Body> {
  const { data } = change
  const bodyContext = bodyContextOf(context)
  if (data === undefined) return writeBody(change, bodyContext)
  if (context.prepares) {
    const source = await prepareLoad(context, change, context.signal)
    context.sources.set(change, source)
    return writePreparedBody(change, bodyContext, source)
  }
  refuseBlindLoad(change, data)
  const { upload, sha256 } = await uploadSource(context.api, {
    path: data.path,
    signal: context.signal,
    onProgress: (sentBytes, sizeBytes) =>
      context.onEvent?.({ type: 'uploading', change, sentBytes, sizeBytes }),
  })
  const wire = writeBody(change, bodyContext)
  return addLoad(wire, change, { sha256, fields: writeSource(data.options, upload) })
}

/** Rejects a load whose losses are unknown, because the server does not prepare sources. */
function refuseBlindLoad({ key }: Change, { before = 0, lossFuse, change }: DataLoad): void {
  if (lossFuse === undefined || before === 0 || change !== undefined) return
  throw blindLoadProblem(key, before, lossHint(key))
}

/** Discards the prepared data of a change if its request fails. */
async function keepOrDiscard<T>(
  { api, sources, signal }: StepContext,
  change: Change,
  request: Promise<T>,
): Promise<T> {
  try {
    return await request
  } catch (error) {
    const source = sources.get(change)
    if (source !== undefined) await discardSource(api, source.token, signal).catch(() => undefined)
    throw error
  }
}

function bodyContextOf({ plan, renamed, ids }: StepContext): BodyContext {
  return { plan, renamed, findResource: (key) => ids.get(key) }
}

interface CreatedResource {
  readonly change: Change
  readonly id: number
  readonly body: Body
}

// Only landform inserts the new id into the marker.
async function markManager(context: StepContext, { change, id, body }: CreatedResource): Promise<void> {
  const { items } = body.resmeta as { items: Record<string, MetadataValue> }
  const resmeta = { items: withOwnId(items, id) }
  await update(sending(context), id, { cls: change.cls, body: { resmeta } })
}

/** Sets the block's fields after the load has created them from the file. */
async function setFields(context: StepContext, change: Change, id: number): Promise<void> {
  const { fieldsAfterLoad: wanted, cls, data } = change
  if (wanted === undefined || data === undefined || context.prepares) return
  const fields = writeFields(wanted, await readFields(context, id))
  const later = writeBody({ ...change, body: { feature_layer: { fields } } }, bodyContextOf(context))
  await update(sending(context), id, { cls, body: later })
}

async function readFields({ api, signal }: StepContext, id: number): Promise<unknown> {
  const layer = decodeResource(await api.call('resource.get', { params: { id }, signal }))
  return (layer.feature_layer as { readonly fields?: unknown } | undefined)?.fields
}
