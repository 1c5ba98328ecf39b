import PQueue from 'p-queue'
import type { Api } from '../../api/api.ts'
import type { Manifest, WantedPrincipals } from '../../manifest/manifest.ts'
import { digestSource } from '../../transfer/pack.ts'
import { digestFile } from '../../transfer/upload_file.ts'
import { changesGroups, planAccess } from '../access/plan_access.ts'
import { namedService } from '../catalog/base_maps.ts'
import { type ActualTree, collectTree } from '../model/actual_tree.ts'
import type { Plan } from '../model/change.ts'
import { type PlanInput, type PlanOptions, safeOptions } from '../model/plan_input.ts'
import { type PrincipalInput, planPrincipals } from '../principals/plan_principals.ts'
import { checkRecording } from './check_recording.ts'
import { computeFromAll, computeFromPart, type Missing, readWhole } from './compute_from_part.ts'
import { computePlan, type Planning } from './compute_plan.ts'
import type { SourceFile } from './data/decide_load.ts'
import { nameValues } from './data/lost_values.ts'
import { readLoadChange } from './data/read_load_change.ts'
import type { PartialTree } from './partial_tree.ts'
import { hasNamed, partOf } from './plan_part.ts'
import { liveReader, type PlanReader } from './plan_reader.ts'

/** Input of a plan. */
export interface PlanRequest {
  readonly api: Api
  readonly manifest: Manifest
  readonly options?: PlanOptions
  /** Whether to read only the resources that the plan depends on: `before` of the plan has no others then. */
  readonly readsPart?: boolean | undefined
  /** Whether the part has all resources below those that the manifest manages. */
  readonly readsBelow?: boolean | undefined
  /** Resources of the server, if they were just read. */
  readonly actual?: ActualTree
  readonly signal?: AbortSignal | undefined
  /** Users and groups, named as in rules, whose changes of access are listed even if they follow from others. */
  readonly watched?: readonly string[] | undefined
}

/** Reads the resources of a server that the caller can read. */
export function readActualTree(api: Api, signal?: AbortSignal): Promise<ActualTree> {
  return readWhole(liveReader(api, signal))
}

/**
 * Reads the server in one request, digests the source files, and computes the plan with the permissions that it changes.
 *
 * @throws {Problem} http/*, auth/*, file/*
 */
export function planManifest({ api, ...request }: PlanRequest): Promise<Plan> {
  return planFrom({ ...request, reader: liveReader(api, request.signal) })
}

/** Input of a plan from a reader: of a server, or of a capture. */
export interface ReadPlanRequest extends Omit<PlanRequest, 'api'> {
  readonly reader: PlanReader
}

/**
 * Reads the state of a server, digests the source files, and computes the plan with the permissions that it changes.
 *
 * @throws {Problem} http/*, auth/*, file/*
 */
export async function planFrom(request: ReadPlanRequest): Promise<Plan> {
  const { reader, manifest, options = safeOptions, actual, readsPart } = request
  const compute = planner(request)
  if (actual !== undefined) return computeFromAll(actual, compute)
  const part = readsPart ? partOf(manifest, options) : undefined
  return computeFromPart({ reader, part, compute, readAll: () => readResources(request) })
}

/** Plans against resources that were read for it and for something else; tells if some are missing. */
export function planInside(request: ReadPlanRequest, read: PartialTree): Promise<Plan | Missing> {
  return planner(request)(read)
}

/**
 * Returns a function that plans against resources, each time with the answers of earlier times. What a plan needs besides resources is
 * read once, and while the resources are read.
 */
function planner(request: ReadPlanRequest): (read: PartialTree) => Promise<Plan | Missing> {
  const { manifest, options = safeOptions } = request
  const surroundings = readSurroundings(request)
  surroundings.catch(() => undefined)
  let answers = noAnswers()
  return async ({ actual, isWhole, next }) => {
    if (request.readsBelow)
      for (const { id, manager } of actual.byId.values()) if (manager === manifest.id) actual.childrenOf(id)
    const input = await readInput(request, actual, surroundings)
    let planning = computePlan({ ...input, ...answers })
    // Answers are expensive: not before the resources are complete.
    while (next() === undefined && !isFinal(planning)) {
      answers = await answer(request, planning, answers)
      planning = computePlan({ ...input, ...answers })
    }
    if (next() !== undefined) return 'larger'
    // Rules anywhere may name the groups whose members change.
    const needsAll = planning.plan.changes.some(changesGroups) || !hasNamed(actual, manifest, options)
    if (!isWhole && needsAll) return 'all'
    const plan = await finish(request, input, planning.plan)
    return next() === undefined ? plan : 'larger'
  }
}

type Read = Awaited<ReturnType<typeof readInput>>

async function finish({ reader, watched }: ReadPlanRequest, { manifest, actual }: Read, planned: Plan) {
  const plan = await checkRecording(reader, { plan: planned, manifest, actual })
  return { ...plan, access: await planAccess(reader, { plan, manifest, actual, watched }) }
}

async function readInput(request: ReadPlanRequest, read: ActualTree, surroundings: Promise<Surroundings>) {
  const { reader, options = safeOptions } = request
  const manifest = manifestOf(request)
  const { records, former, ...others } = await surroundings
  const { sendSecrets } = options
  const { principals } = read
  const accounts = planPrincipals({
    ...{ wanted: manifest.principals ?? (former && noPrincipals), records, former, principals, sendSecrets },
  })
  const actual = { ...read, principals: accounts.principals }
  return { manifest, actual, accounts, server: reader.url, options, ...others }
}

function manifestOf({ manifest, options = safeOptions }: ReadPlanRequest): Manifest {
  return options.only.size === 0 ? manifest : withoutPrincipals(manifest)
}

type Surroundings = Awaited<ReturnType<typeof readSurroundings>>

/** Reads what a plan needs besides resources: users and groups, the catalog, and digests of the files that the manifest names. */
async function readSurroundings(request: ReadPlanRequest) {
  const { reader, signal } = request
  const manifest = manifestOf(request)
  // In parallel: one waits for the network, the other for the disk.
  const [{ records, former }, catalog, files, digests, images] = await Promise.all([
    readAccounts(request, manifest),
    usesCatalog(manifest) ? reader.readCatalog() : undefined,
    digestSources(manifest, signal),
    digestFiles(manifest, signal),
    digestImages(manifest, signal),
  ])
  return { records, former, catalog, files, digests, images }
}

/** Reads users and groups, and which of them the manifest declared, also if its sections are gone. */
async function readAccounts(
  { reader, options = safeOptions }: ReadPlanRequest,
  { id, principals }: Manifest,
): Promise<Pick<PrincipalInput, 'records' | 'former'>> {
  if (principals !== undefined) {
    const [records, former] = await Promise.all([reader.readPrincipals(), reader.readFormerPrincipals?.(id)])
    return { records, former }
  }
  // An undo, and a plan of some resources, are not about them.
  if (options.deletable !== undefined || options.only.size > 0) return { records: undefined }
  const former = await reader.readFormerPrincipals?.(id)
  if (former === undefined || former.user.size + former.group.size === 0) return { records: undefined }
  return { records: await reader.readPrincipals(), former }
}

const noPrincipals: WantedPrincipals = { user: new Map(), group: new Map() }

const noAnswers = (): Answers => ({
  counts: new Map(),
  values: new Map(),
  loads: new Map(),
  extensions: new Map(),
  contents: new Map(),
  visibility: undefined,
})

function withoutPrincipals({ principals: _, ...rest }: Manifest): Manifest {
  return rest
}

/** Tells whether a manifest has records, or base maps that name records. */
function usesCatalog({ catalog, resources }: Manifest): boolean {
  return catalog !== undefined || [...resources.values()].some((one) => namedService(one) !== undefined)
}

/** Maximum number of source readers; each of them uses a core. */
const maxReaders = 2

/** Maximum number of concurrent requests that count features or values. */
const maxRequests = 8

/** Answers to the queries of a plan that is not final. */
type Answers = Required<
  Pick<PlanInput, 'counts' | 'values' | 'loads' | 'extensions' | 'contents' | 'visibility'>
>

const isFinal = ({
  uncounted,
  uncountedFields,
  unread,
  unreadExtensions,
  unreadContents,
  unsure,
}: Planning) =>
  [uncounted, uncountedFields, unread, unreadExtensions, unreadContents, unsure.keynames].every(
    (list) => list.length === 0,
  )

/** Runs the queries of a plan: counts features, reads sources, descriptions and attachments, and checks visibility. */
async function answer(
  { reader, signal }: Pick<ReadPlanRequest, 'reader' | 'signal'>,
  { uncounted, uncountedFields, unread, unreadExtensions, unreadContents, unsure }: Planning,
  { counts, values, loads, extensions, contents, visibility }: Answers,
): Promise<Answers> {
  const changes = await findEach(unread, maxReaders, async (question) => [
    question.wanted.key,
    await readLoadChange(reader, question, signal),
  ])
  const features = await findEach([...new Set(uncounted)], maxRequests, async (id) => [
    id,
    await reader.countFeatures(id),
  ])
  const fields = await findEach(uncountedFields, maxRequests, async (field) => [
    nameValues(field),
    (await reader.countValues(field)) ?? null,
  ])
  const extensionsById = new Map(unreadExtensions.map((query) => [query.id, query]))
  const extended = await findEach([...extensionsById.values()], maxRequests, async (query) => [
    query.id,
    await reader.readExtensions(query),
  ])
  const ids = [...new Set(unreadContents)]
  const held = ids.length === 0 ? [] : ((await reader.readContents(ids)) ?? [])
  return {
    contents: new Map([
      ...contents,
      ...ids.map((id) => [id, null] as const),
      ...held.map((one) => [one.id, one] as const),
    ]),
    extensions: new Map([...extensions, ...extended]),
    counts: new Map([...counts, ...features]),
    values: new Map([...values, ...fields]),
    loads: new Map([...loads, ...changes]),
    visibility: unsure.keynames.length === 0 ? visibility : await reader.readVisibility(unsure),
  }
}

/** Reads the resources, unless the manifest has none: its records may be managed by an account that reads no resources. */
async function readResources({
  reader,
  manifest,
}: Pick<ReadPlanRequest, 'reader' | 'manifest'>): Promise<ActualTree> {
  if (manifest.resources.size > 0 || manifest.catalog === undefined || manifest.principals !== undefined)
    return readWhole(reader)
  const nothing = {
    landform: undefined,
    caller: undefined,
    administrator: false,
    complete: true,
    principals: [],
  }
  return collectTree().finish(nothing)
}

async function digestImages(
  { catalog }: Manifest,
  signal: AbortSignal | undefined,
): Promise<Map<string, SourceFile>> {
  const files = new Map<string, SourceFile>()
  for (const { key, image } of catalog?.icon.values() ?? [])
    if (image !== undefined) files.set(key, await digestFile(image.path, signal))
  return files
}

async function digestSources(
  manifest: Manifest,
  signal: AbortSignal | undefined,
): Promise<Map<string, SourceFile>> {
  const files = new Map<string, SourceFile>()
  for (const { key, data } of manifest.resources.values())
    if (data !== undefined) files.set(key, await digestSource(data.path, signal))
  return files
}

async function digestFiles(
  manifest: Manifest,
  signal: AbortSignal | undefined,
): Promise<Map<string, SourceFile>> {
  const digests = new Map<string, SourceFile>()
  for (const { files = [], features } of manifest.resources.values())
    for (const { path } of [...files, ...[...(features?.attachments?.values() ?? [])].flat()])
      if (!digests.has(path)) digests.set(path, await digestFile(path, signal))
  return digests
}

/** Finds the key and the answer of each item, at most so many at a time. */
async function findEach<T, K, V>(
  items: readonly T[],
  concurrency: number,
  find: (item: T) => Promise<readonly [K, V]>,
): Promise<Map<K, V>> {
  const queue = new PQueue({ concurrency })
  return new Map(await queue.addAll<readonly [K, V]>(items.map((item) => () => find(item))))
}
