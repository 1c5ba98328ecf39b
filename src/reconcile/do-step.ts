import type { Api } from '../api/api.ts'
import { toDocument } from '../api/dialect.ts'
import type { Representation } from '../contract/bodies.ts'
import { formatManager, formatSource, markerKeys } from '../contract/markers.ts'
import { problem } from '../contract/problems.ts'
import type { Schema } from '../contract/schema.ts'
import { isProblem } from '../core/problem.ts'
import { uploadFile } from '../transfer/upload.ts'
import type { Change, Plan, Step } from './change.ts'
import { writeFields } from './layer-fields.ts'
import { findPrincipalId } from './principals.ts'
import { createOnce, remove, type SendOptions, schemasOf, update } from './send.ts'
import { sourceDigest } from './source.ts'
import { toWire } from './wanted-form.ts'

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

// The key goes along, so that a resource that is known by its name only is found again after an interruption.
async function rename(doing: Doing, { change, temporaryName }: Step): Promise<void> {
  const keyname = change.action === 'delete' ? {} : { keyname: change.key }
  const body = { resource: { display_name: temporaryName, ...keyname } }
  await update(sending(doing), idOf(change), { cls: change.cls, body })
}

async function create(doing: Doing, change: Change): Promise<void> {
  const body = await bodyOf(doing, change)
  const id = await createOnce(loading(doing, change), { cls: change.cls, body })
  doing.ids.set(change.key, id)
  if (doing.plan.landform === undefined) await markManager(doing, { change, id, body })
  await setFields(doing, change, id)
}

async function rewrite(doing: Doing, change: Change): Promise<void> {
  const body = await bodyOf(doing, change)
  const id = idOf(change)
  try {
    await update(loading(doing, change), id, { cls: change.cls, body, ifVersion: change.ifVersion })
  } catch (error) {
    if (!isProblem(error, 'resource/stale')) throw error
    throw problem('apply/stale', `"${change.key}" was changed by somebody else since the plan was made.`)
  }
  await setFields(doing, change, id)
}

/** Reading a large file into a layer takes as long as it takes. */
const loadTimeoutMs = 3_600_000

function loading(doing: Doing, { data }: Change): SendOptions {
  return data === undefined ? sending(doing) : { ...sending(doing), timeoutMs: loadTimeoutMs }
}

async function bodyOf(doing: Doing, change: Change): Promise<Record<string, unknown>> {
  const wire = resolve(doing, change)
  if (doing.renamed.has(change.key)) {
    wire.resource = { ...(wire.resource as object | undefined), display_name: change.displayName }
  }
  return change.data === undefined ? wire : withSource(doing, change, wire)
}

function resolve({ ids, plan }: Doing, { cls, body }: Change): Record<string, unknown> {
  const schemas = schemasOf(cls)
  const wire: Record<string, unknown> = {}
  for (const [member, value] of Object.entries(body)) {
    const schema = schemas[member]
    wire[member] =
      schema === undefined
        ? value
        : toWire(schema as Schema, value, (name, target) =>
            target === 'principal' ? findPrincipalId(name, plan.principals) : ids.get(name),
          )
  }
  return wire
}

/** Uploads the source, and writes it with its marker into the same request: both are there, or none. */
async function withSource(
  doing: Doing,
  change: Change,
  wire: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { data } = change
  if (data === undefined) return wire
  const { upload, sha256 } = await uploadFile(doing.api, {
    path: data.path,
    signal: doing.signal,
    onProgress: (sent, size) => doing.onUpload?.(change, sent, size),
  })
  const { geometry_type: _, ...layer } = (wire.vector_layer ?? {}) as Record<string, unknown>
  const srs = change.id === undefined || change.action === 'replace' ? { srs: { id: 3857 } } : {}
  const digest = sourceDigest(sha256, data.options)
  const marker = { [markerKeys.source]: formatSource({ digest, version: data.version }) }
  const items = { ...(wire.resmeta as { items?: object } | undefined)?.items, ...marker }
  return {
    ...wire,
    resmeta: { items },
    vector_layer: { ...srs, ...layer, ...data.options, source: upload },
  }
}

interface Marking {
  readonly change: Change
  readonly id: number
  readonly body: Record<string, unknown>
}

// Other servers do not put the id into the marker.
async function markManager(doing: Doing, { change, id, body }: Marking): Promise<void> {
  const { items } = body.resmeta as { items: Record<string, unknown> }
  const marker = formatManager({ manifest: doing.plan.manifest, id })
  const resmeta = { items: { ...items, [markerKeys.manager]: marker } }
  await update(sending(doing), id, { cls: change.cls, body: { resmeta } })
}

/** Sets what the block says of the fields, now that the file has decided which there are. */
async function setFields(doing: Doing, change: Change, id: number): Promise<void> {
  if (change.fieldsAfterLoad === undefined) return
  const wire = await doing.api.call('resource.get', { params: { id }, signal: doing.signal })
  const layer = (toDocument(wire) as unknown as Representation & { feature_layer?: { fields?: unknown } })
    .feature_layer
  const fields = writeFields(change.fieldsAfterLoad, layer?.fields)
  const body = resolve(doing, { ...change, body: { feature_layer: { fields } } })
  await update(sending(doing), id, { cls: change.cls, body })
}
