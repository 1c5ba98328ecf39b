import type { Api } from '../../api/api.ts'
import { supportsRoute } from '../../api/detect_server.ts'
import { decodeResource } from '../../contract/dialect_codec.ts'
import { formatManager, markerKeys } from '../../contract/markers.ts'
import { problem } from '../../contract/problems.ts'
import { isProblem } from '../../core/problem.ts'
import { blindLoadProblem } from '../../transfer/data_loss.ts'
import { discardSource, loadTimeoutMs, type PreparedSource } from '../../transfer/prepare_source.ts'
import { uploadFile } from '../../transfer/upload_file.ts'
import type { Change, DataLoad, Plan, Step } from '../model/change.ts'
import { writeFields } from '../model/layer_fields.ts'
import { lossHint } from '../plan/decide_load.ts'
import type { ApplyOptions } from './apply_options.ts'
import type { ApplyEvent, Report } from './outcome.ts'
import { prepareLoad } from './prepare_loads.ts'
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
import { stale } from './stale.ts'
import { Tally } from './tally.ts'

/**
 * Does a plan request by request: each change as soon as what it needs is there, several at once. A failure keeps what
 * depends on it from being tried, and nothing else. Run again with a new plan, it goes on where it stopped.
 */
export async function applyByLevel(options: ApplyOptions): Promise<Report> {
  const { plan, api, concurrency = 8, signal, breakOff, onEvent } = options
  const doing: Doing = {
    api,
    plan,
    ids: new Map(plan.ids),
    renamed: listRenamed(plan),
    prepares: plan.landform !== undefined && (await supportsRoute(api, 'source.prepare', signal)),
    sources: new Map(),
    signal: breakOff,
    onEvent,
  }
  const tally = new Tally({ plan, ids: doing.ids, sources: doing.sources, onEvent })
  const results = await runSteps(plan.steps, {
    concurrency,
    signal,
    run: async (step) => {
      tally.start(step)
      await doStep(doing, step)
    },
    onResult: (step, result) => tally.add(step, result),
  })
  const interrupted =
    signal?.aborted === true && [...results.values()].some(({ state }) => state === 'skipped')
  return { outcomes: tally.outcomes(), interrupted, atomic: false }
}

/** What the steps of one apply share. */
interface Doing {
  readonly api: Api
  readonly plan: Plan
  /** Ids by key; resources that come into being are added. */
  readonly ids: Map<string, number>
  /** Keys whose resource has a temporary name for a while. */
  readonly renamed: ReadonlySet<string>
  /** Whether the server reads and checks data before they replace others. */
  readonly prepares: boolean
  /** Data that wait on the server or were loaded; those of changes that are begun are added. */
  readonly sources: Map<Change, PreparedSource>
  /** Breaks off running requests. */
  readonly signal?: AbortSignal | undefined
  readonly onEvent?: ((event: ApplyEvent) => void) | undefined
}

/** Does one step. */
async function doStep(doing: Doing, step: Step): Promise<void> {
  const { change } = step
  if (step.kind === 'delete') await remove(sending(doing), idOf(change))
  else if (step.kind === 'rename') await rename(doing, step)
  else if (change.action === 'create' || change.action === 'replace') await create(doing, change)
  else await rewrite(doing, change)
}

const sending = ({ api, signal }: Doing): SendOptions => ({ api, signal })

function idOf({ id, key }: Change): number {
  if (id === undefined) throw problem('apply/failed', `"${key}" has no id.`)
  return id
}

async function rename(doing: Doing, { change, temporaryName = '' }: Step): Promise<void> {
  const body = writeRename(change, temporaryName)
  await update(sending(doing), idOf(change), { cls: change.cls, body })
}

async function create(doing: Doing, change: Change): Promise<void> {
  const body = await bodyOf(doing, change)
  const id = await keepOrDiscard(doing, change, createOnce(loading(doing, change), { cls: change.cls, body }))
  doing.ids.set(change.key, id)
  if (doing.plan.landform === undefined) await markManager(doing, { change, id, body })
  await setFields(doing, change, id)
}

async function rewrite(doing: Doing, change: Change): Promise<void> {
  const body = await bodyOf(doing, change)
  const id = idOf(change)
  const { cls, ifVersion } = change
  try {
    await keepOrDiscard(doing, change, update(loading(doing, change), id, { cls, body, ifVersion }))
  } catch (error) {
    if (!isProblem(error, 'resource/stale')) throw error
    throw stale(change, 'changed')
  }
  await setFields(doing, change, id)
}

function loading(doing: Doing, { data }: Change): SendOptions {
  return data === undefined ? sending(doing) : { ...sending(doing), timeoutMs: loadTimeoutMs }
}

async function bodyOf(doing: Doing, change: Change): Promise<Body> {
  const { data } = change
  const context = contextOf(doing)
  if (data === undefined) return writeBody(change, context)
  if (doing.prepares) {
    const source = await prepareLoad(doing, change, doing.signal)
    doing.sources.set(change, source)
    return writePreparedBody(change, context, source)
  }
  refuseBlindLoad(change, data)
  const { upload, sha256 } = await uploadFile(doing.api, {
    path: data.path,
    signal: doing.signal,
    onProgress: (sentBytes, sizeBytes) =>
      doing.onEvent?.({ type: 'uploading', change, sentBytes, sizeBytes }),
  })
  const wire = writeBody(change, context)
  return addLoad(wire, change, { sha256, fields: { ...data.options, source: upload } })
}

/** What a server does not count before it loads it may take anything away. */
function refuseBlindLoad({ key }: Change, { before = 0, lossFuse, change }: DataLoad): void {
  if (lossFuse === undefined || before === 0 || change !== undefined) return
  throw blindLoadProblem(key, before, lossHint(key))
}

/** Has the server forget the data of a change where the request that was to load them fails. */
async function keepOrDiscard<T>(
  { api, sources, signal }: Doing,
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

function contextOf({ plan, renamed, ids }: Doing): BodyContext {
  return { plan, renamed, findResource: (key) => ids.get(key) }
}

interface Written {
  readonly change: Change
  readonly id: number
  readonly body: Body
}

// Other servers do not put the id into the marker.
async function markManager(doing: Doing, { change, id, body }: Written): Promise<void> {
  const { items } = body.resmeta as { items: Record<string, unknown> }
  const marker = formatManager({ manifest: doing.plan.manifest, id })
  const resmeta = { items: { ...items, [markerKeys.manager]: marker } }
  await update(sending(doing), id, { cls: change.cls, body: { resmeta } })
}

/** Sets what the block says of the fields, now that the file has decided which there are. */
async function setFields(doing: Doing, change: Change, id: number): Promise<void> {
  const { fieldsAfterLoad: wanted, cls, data } = change
  if (wanted === undefined || data === undefined || doing.prepares) return
  const fields = writeFields(wanted, await readFields(doing, id))
  const later = writeBody({ ...change, body: { feature_layer: { fields } } }, contextOf(doing))
  await update(sending(doing), id, { cls, body: later })
}

async function readFields({ api, signal }: Doing, id: number): Promise<unknown> {
  const layer = decodeResource(await api.call('resource.get', { params: { id }, signal }))
  return (layer.feature_layer as { readonly fields?: unknown } | undefined)?.fields
}
