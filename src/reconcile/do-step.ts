import type { Api } from '../api/api.ts'
import { toDocument } from '../api/dialect.ts'
import { findSource, formatManager, formatSource, markerKeys } from '../contract/markers.ts'
import { problem } from '../contract/problems.ts'
import { isProblem } from '../core/problem.ts'
import { loadTimeoutMs } from '../transfer/prepare.ts'
import { uploadFile } from '../transfer/upload.ts'
import { addLoad, type Body, type BodyContext, writeBody, writeRename } from './body.ts'
import type { Change, Plan, Step } from './change.ts'
import { writeFields } from './layer-fields.ts'
import { createOnce, remove, type SendOptions, update } from './send.ts'
import { stale } from './stale.ts'

/** What the steps of one apply share. */
export interface Doing {
  readonly api: Api
  readonly plan: Plan
  /** Ids by key; resources that come into being are added. */
  readonly ids: Map<string, number>
  /** Keys whose resource has a temporary name for a while. */
  readonly renamed: ReadonlySet<string>
  /** Breaks off running requests. */
  readonly signal?: AbortSignal | undefined
  readonly onUpload?: (change: Change, sentBytes: number, sizeBytes: number) => void
}

/** Does one step. */
export async function doStep(doing: Doing, step: Step): Promise<void> {
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
  const id = await createOnce(loading(doing, change), { cls: change.cls, body })
  doing.ids.set(change.key, id)
  if (doing.plan.landform === undefined) await markManager(doing, { change, id, body })
  await setFields(doing, { change, id, body })
}

async function rewrite(doing: Doing, change: Change): Promise<void> {
  const body = await bodyOf(doing, change)
  const id = idOf(change)
  try {
    await update(loading(doing, change), id, { cls: change.cls, body, ifVersion: change.ifVersion })
  } catch (error) {
    if (!isProblem(error, 'resource/stale')) throw error
    throw stale(change, 'changed')
  }
  await setFields(doing, { change, id, body })
}

function loading(doing: Doing, { data }: Change): SendOptions {
  return data === undefined ? sending(doing) : { ...sending(doing), timeoutMs: loadTimeoutMs }
}

async function bodyOf(doing: Doing, change: Change): Promise<Body> {
  const wire = writeBody(change, contextOf(doing))
  const { data } = change
  if (data === undefined) return wire
  const { upload, sha256 } = await uploadFile(doing.api, {
    path: data.path,
    signal: doing.signal,
    onProgress: (sent, size) => doing.onUpload?.(change, sent, size),
  })
  return addLoad(wire, change, { sha256, fields: { ...data.options, source: upload } })
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
async function setFields(doing: Doing, { change, id, body }: Written): Promise<void> {
  const { fieldsAfterLoad: wanted, cls, data } = change
  if (wanted === undefined || data === undefined) return
  const fields = writeFields(wanted, (await readLayer(doing, id)).feature_layer?.fields)
  const later = writeBody({ ...change, body: { feature_layer: { fields } } }, contextOf(doing))
  await update(sending(doing), id, { cls, body: later })
  if (doing.plan.landform === undefined) return
  const version = (await readLayer(doing, id)).vector_layer?.data_version
  if (version === undefined || version === data.version) return
  // A field that was dropped or converted has changed the data once more: the marker has to follow.
  const { items } = body.resmeta as { items: Readonly<Record<string, unknown>> }
  const digest = findSource(items[markerKeys.source])?.digest ?? ''
  const marker = { [markerKeys.source]: formatSource({ digest, version }) }
  await update(sending(doing), id, { cls, body: { resmeta: { items: marker } } })
}

interface LayerMembers {
  readonly feature_layer?: { readonly fields?: unknown }
  readonly vector_layer?: { readonly data_version?: number }
}

async function readLayer({ api, signal }: Doing, id: number): Promise<LayerMembers> {
  return toDocument(await api.call('resource.get', { params: { id }, signal }))
}
