import { isDeepStrictEqual } from 'node:util'
import { readExtensions } from '../api/read_extensions.ts'
import { resolveResource } from '../api/resolve_resource.ts'
import { problem } from '../contract/problems.ts'
import { type Cls, clsNames } from '../contract/registry.ts'
import { isObject } from '../core/is_object.ts'
import { isProblem } from '../core/problem.ts'
import { findHint } from '../core/suggest.ts'
import { readActual, readsAll } from '../reconcile/model/actual_tree.ts'
import { type Checked, type CheckQuery, checkInputs, writtenSecrets } from './check_resource.ts'
import {
  type CheckedResources,
  createCheckedResources,
  describeResource,
  type StackTree,
} from './checked_resources.ts'
import { compareInputs, fillUnknowns, type PropertyChange } from './compare_inputs.ts'
import { deleteResource } from './delete_resource.ts'
import { projectFeatures } from './feature_inputs.ts'
import { InitFailure } from './init_failure.ts'
import { withWrite } from './open_write.ts'
import { type Properties, unknownValue, type Values } from './property_values.ts'
import { checkConfig, openApi, readConfig, tryCredentials } from './provider_config.ts'
import { callFunction } from './provider_functions.ts'
import { type InputFault, makeManifest } from './resource_manifest.ts'
import { listSecrets } from './resource_secrets.ts'
import { outputsOf, readInputs } from './resource_state.ts'
import { findClsOfToken, parseUrn, resourceTypes, runToken, stackManifestId } from './resource_type.ts'
import { checkRun, compareRuns } from './run/check_run.ts'
import { executeRun, previewRun, readRun } from './run/execute_run.ts'
import { createTreeMemory } from './tree_memory.ts'
import { createWriteQueue, type WriteQueue } from './write_queue.ts'
import { type Connection, planWrite, type Write } from './write_resource.ts'

/** Values of a resource with the pointers of its secrets. */
export interface MarkedValues {
  readonly values: Values
  readonly secrets: readonly string[]
}

/** Where a provider runs. */
export interface ProviderPlace {
  readonly version: string
  readonly env: NodeJS.ProcessEnv
  /** Absolute path of the folder of the program. */
  readonly folder: string
}

/** The provider, apart from the protocol. All of its functions throw Problems. */
export class LandformProvider {
  readonly place: ProviderPlace
  #connection: (Connection & { readonly queue: WriteQueue }) | undefined
  #stop = new AbortController()
  #checked: CheckedResources = createCheckedResources()

  constructor(place: ProviderPlace) {
    this.place = place
  }

  /** Checks settings. Credentials are tried on the server, if both are known. */
  async checkConfig(config: Properties): Promise<InputFault[]> {
    const { env, version } = this.place
    const faults = checkConfig(config, env)
    if (faults.length > 0 || config.unknowns.length > 0) return faults
    return tryCredentials(readConfig(config, env), version)
  }

  /** Configures the server and its credentials. Sends no request. */
  async configure(config: Properties): Promise<void> {
    const settings = readConfig(config, this.place.env)
    await this.#connection?.api.close()
    this.#checked = createCheckedResources()
    const api = openApi(settings, this.place.version)
    const { signal } = this.#stop
    const memory = createTreeMemory(api, signal)
    const { manifest: manifestId, allowDelete, allowUndeclared } = settings
    const connection = { api, memory, manifestId, allowDelete, allowUndeclared, signal }
    this.#connection = { ...connection, queue: createWriteQueue(connection) }
  }

  /** Stops all running work. */
  cancel(): void {
    this.#stop.abort()
  }

  /** Closes the connection to the server. */
  async close(): Promise<void> {
    await this.#connection?.api.close()
  }

  /** Checks inputs, and completes the key, the display name and the digests of data and files. */
  async check(urn: string, query: CheckQuery): Promise<Checked> {
    if (isRun(urn)) {
      const { manifestId } = this.#manifestPlace(urn)
      return checkRun(urn, query.news, { ...this.#runPlace(), manifestId })
    }
    const cls = clsOf(parseUrn(urn).type)
    const checked = await checkInputs({ ...query, urn, cls, place: this.#manifestPlace(urn) })
    const described = describeResource(urn, cls, checked.values)
    const faults = [...checked.faults, ...this.#checked.add(described)]
    const stack = await this.#stackTree(urn)
    const missing = stack === undefined ? [] : this.#checked.findMissing(described, stack)
    return { ...checked, faults: [...faults, ...(faults.length > 0 ? [] : missing)] }
  }

  /** Reads the tree, so that a program fails at its first resource if the server is away or refuses the account. */
  async #stackTree(urn: string): Promise<StackTree | undefined> {
    if (this.#connection === undefined) return undefined
    const { memory, allowUndeclared } = this.#connection
    return { tree: await memory.load(), manifestId: this.#manifestPlace(urn).manifestId, allowUndeclared }
  }

  /** Compares inputs with earlier ones. */
  diff(
    urn: string,
    sides: {
      /** Id on the server, if the resource is one of the state of the stack. */
      readonly id?: string
      readonly olds: Properties
      readonly news: Properties
      readonly ignored: readonly string[]
    },
  ): PropertyChange[] {
    const { id, olds, news, ignored } = sides
    if (isRun(urn)) return compareRuns(olds, news, ignored)
    if (id) this.#checked.own(Number(id), urn)
    const cls = clsOf(parseUrn(urn).type)
    const filled = news.unknowns.length > 0 ? fillUnknowns(news, olds) : news.values
    const sideOf = (properties: Properties, inputs: Values) => {
      const { wanted } = makeManifest({ ...this.#manifestPlace(urn), cls, inputs })
      return { properties, ...(wanted === undefined ? {} : { wanted }) }
    }
    return compareInputs({
      cls,
      olds: sideOf(olds, olds.values),
      news: sideOf(news, filled),
      ignored,
    })
  }

  /** Plans a creation or update, as far as its inputs are known, and returns its outputs. */
  async preview(urn: string, inputs: Properties, old?: OldResource): Promise<MarkedValues> {
    const { memory, allowUndeclared } = this.#connected()
    const tree = await memory.load()
    if (isRun(urn)) return { values: previewRun(inputs), secrets: inputs.secrets }
    const described = describeResource(urn, clsOf(parseUrn(urn).type), inputs.values)
    const isPlannable =
      inputs.unknowns.length === 0 &&
      this.#checked.findMissing(described, { tree, manifestId: '', allowUndeclared }).length === 0 &&
      this.#namesExist(urn, inputs.values, tree.idOfKey)
    if (isPlannable)
      await this.#withWrite(urn, { inputs, old }, (write) => planWrite(this.#connected(), write))
    const outputs = outputsOf(inputs.values, old === undefined ? unknownValue : Number(old.id))
    return { values: outputs, secrets: inputs.secrets }
  }

  // What the program creates before this resource is not on the server yet.
  #namesExist(urn: string, inputs: Values, idOfKey: ReadonlyMap<string, number>): boolean {
    const { manifest } = makeManifest({
      ...this.#manifestPlace(urn),
      cls: clsOf(parseUrn(urn).type),
      inputs,
    })
    const names = [...(manifest?.resources.values() ?? [])].filter(({ existing }) => existing)
    return names.every(({ key, id }) => id !== undefined || idOfKey.has(key))
  }

  /** Creates a resource, or updates the one with an id, and returns its id and outputs. */
  async write(
    urn: string,
    inputs: Properties,
    old?: OldResource,
  ): Promise<MarkedValues & { readonly id: string; readonly warnings: readonly string[] }> {
    const { queue } = this.#connected()
    if (isRun(urn)) {
      const { id, outputs, warnings } = await executeRun(inputs, {
        ...this.#runPlace(),
        connection: this.#connected(),
      })
      return { id, values: outputs, secrets: inputs.secrets, warnings }
    }
    const { id, warnings } = await this.#withWrite(urn, { inputs, old }, async (write) => {
      const there = old === undefined ? await this.#findThere(urn, write) : undefined
      const written = await queue.write(write).catch(async (error: unknown) => {
        throw (await this.#findHalfMade(write, { error, urn, inputs, old })) ?? error
      })
      this.#checked.own(written.id, urn, written.id === there)
      return written
    })
    return { id: String(id), values: outputsOf(inputs.values, id), secrets: inputs.secrets, warnings }
  }

  /** Finds what already has the key of a creation. What is to be replaced by it must be deleted first. */
  async #findThere(urn: string, { key }: Write): Promise<number | undefined> {
    const { idOfKey } = await this.#connected().memory.load()
    const id = idOfKey.get(key)
    if (id === undefined || this.#checked.ownerOf(id)?.urn !== urn) return id
    throw problem('resource/key-taken', `Resource ${id} has the key "${key}" until it is deleted.`, {
      hint: 'Replace it with deleteBeforeReplace: true, the default.',
    })
  }

  #withWrite<T>(
    urn: string,
    { inputs, old }: { readonly inputs: Properties; readonly old: OldResource | undefined },
    work: (write: Write) => Promise<T>,
  ): Promise<T> {
    const resource = {
      ...{ cls: clsOf(parseUrn(urn).type), inputs: inputs.values, place: this.#manifestPlace(urn) },
      sendsSecrets: old === undefined || this.#changesSecrets(urn, inputs, old),
      ...(old === undefined ? {} : { id: Number(old.id) }),
    }
    return withWrite(resource, work)
  }

  #changesSecrets(urn: string, inputs: Properties, old: OldResource): boolean {
    const secrets = listSecrets(clsOf(parseUrn(urn).type)).map((pointer) =>
      pointer.slice(1).replace('/', '.'),
    )
    const changes = this.diff(urn, { olds: old.inputs, news: inputs, ignored: [] })
    return changes.some(({ path }) => secrets.includes(path))
  }

  /** Finds what a failed write has left: servers without transactions keep the part that succeeded. */
  async #findHalfMade(
    { key, manifest }: Write,
    { error, urn, inputs, old }: FailedWrite,
  ): Promise<InitFailure | undefined> {
    if (!isProblem(error) || unmade.includes(error.code)) return undefined
    const { memory } = this.#connected()
    const tree = await memory.load().catch(() => undefined)
    const id = old === undefined ? tree?.idOfKey.get(key) : Number(old.id)
    const wire = id === undefined ? undefined : tree?.byId.get(id)
    if (tree === undefined || id === undefined || wire === undefined) return undefined
    if (old === undefined && readActual(wire).manager !== manifest.id) return undefined
    const cls = clsOf(parseUrn(urn).type)
    const values = readInputs(tree, { cls, id, inputs, place: this.#manifestPlace(urn) }) ?? inputs.values
    const isUntouched = old !== undefined && isDeepStrictEqual(values, old.inputs.values)
    if (isUntouched) return undefined
    const { secrets } = inputs
    return new InitFailure(error.message, {
      ...{ id: String(id), inputs: values, outputs: outputsOf(values, id), secrets },
    })
  }

  /** Reads a resource by id, or for imports by key or path too; undefined if it is gone. */
  async read(urn: string, name: string, state: ResourceState): Promise<ReadResource | undefined> {
    const { inputs } = state
    if (isRun(urn)) return this.#readRun(name, state)
    const cls = clsOf(parseUrn(urn).type)
    const { memory, api, signal } = this.#connected()
    const tree = await memory.load()
    const isImport = inputs.values.key === undefined
    const id = /^\d+$/.test(name)
      ? Number(name)
      : (tree.idOfKey.get(name) ?? (await resolveResource(api, name, signal)).resource.id)
    await memory.freshen([id])
    const values = await this.#readFeatures(
      id,
      readInputs(tree, { cls, id, inputs, place: this.#manifestPlace(urn) }),
    )
    const there = tree.byId.get(id)
    if (values === undefined && there !== undefined)
      throw problem('plan/wrong-class', `Resource ${id} is a ${there.resource.cls}, not a ${cls}.`)
    if (values !== undefined) {
      if (isImport && typeof values.key === 'string') this.#checked.addRead(values.key)
      const secrets = [...inputs.secrets, ...writtenSecrets(cls, values)]
      return { id: String(id), values, outputs: outputsOf(values, id), secrets }
    }
    if (isImport || !readsAll(tree.head))
      await api.call('resource.get', { params: { id }, signal }).catch(rethrowUnless404)
    return undefined
  }

  /** Reads the descriptions and attachments that inputs manage: one request for each such layer. */
  async #readFeatures(id: number, inputs: Values | undefined): Promise<Values | undefined> {
    const { api, signal } = this.#connected()
    const key = isObject(inputs?.features) ? inputs.features.key : undefined
    if (inputs === undefined || typeof key !== 'string') return inputs
    const there = await readExtensions(api, { id, key }, signal)
    return there === null ? inputs : projectFeatures(inputs, there)
  }

  async #readRun(id: string, { inputs, readOutputs }: ResourceState): Promise<ReadResource | undefined> {
    if (inputs.values.pipeline === undefined)
      throw problem('usage/bad-argument', 'A run of a pipeline cannot be imported.', {
        hint: 'Declare it in the program: it runs only if its source or its layer has changed.',
      })
    const { secrets } = inputs
    const outputs = readOutputs()
    const values = await readRun(inputs, outputs, {
      ...this.#runPlace(),
      connection: this.#connected(),
    })
    return values && { id, values, outputs: { ...outputs, ...values }, secrets }
  }

  /**
   * Deletes a resource, and returns warnings. Runs of pipelines are on no server, and their data stay. What another resource of
   * the program has taken over stays, too.
   */
  async delete(urn: string, id: string): Promise<readonly string[]> {
    if (isRun(urn)) return []
    const owner = this.#checked.ownerOf(Number(id))
    if (owner !== undefined && owner.urn !== urn)
      return [`Resource ${id} stays: it is ${parseUrn(owner.urn).name} now, which has its key.`]
    if (owner?.isAdopted)
      return [`Resource ${id} was updated, not replaced: set deleteBeforeReplace: true to replace it.`]
    await deleteResource(this.#connected(), Number(id), this.#checked)
    this.#checked.disown(Number(id))
    return []
  }

  /** Lists the resources of a type. */
  async list(token: string): Promise<{ readonly id: number; readonly name: string }[]> {
    if (token === runToken) return []
    const cls = clsOf(token)
    const { memory } = this.#connected()
    const { byId } = await memory.load()
    await memory.freshen()
    return [...byId.values()].flatMap(({ resource: { id, cls: own, keyname, display_name } }) =>
      own === cls ? [{ id, name: keyname ?? display_name ?? String(id) }] : [],
    )
  }

  /** Calls a function of the package. A preview finds resources by the keys that they will have. */
  async invoke(token: string, { values }: Properties): Promise<Values> {
    const connection = this.#connected()
    const { name } = values
    const id = typeof name === 'string' ? this.#checked.findId(name) : undefined
    const isRenamed = id !== undefined && !(await connection.memory.load()).idOfKey.has(String(name))
    if (!isRenamed) return callFunction(connection, token, values)
    return { ...(await callFunction(connection, token, { name: String(id) })), key: name }
  }

  #connected(): Connection & { readonly queue: WriteQueue } {
    if (this.#connection === undefined) throw problem('usage/bad-argument', 'The provider is not configured.')
    return this.#connection
  }

  #runPlace() {
    return { folder: this.place.folder, checked: this.#checked, connection: this.#connection }
  }

  #manifestPlace(urn: string) {
    return { manifestId: this.#connection?.manifestId ?? stackManifestId(urn), folder: this.place.folder }
  }
}

/** A resource before an update. */
export interface OldResource {
  readonly id: string
  readonly inputs: Properties
}

/** Properties of a resource in the state of a stack. */
export interface ResourceState {
  /** Empty for imports. */
  readonly inputs: Properties
  readOutputs(): Values
}

/** A resource on the server. */
export interface ReadResource extends MarkedValues {
  readonly id: string
  readonly outputs: Values
}

interface FailedWrite {
  readonly error: unknown
  readonly urn: string
  readonly inputs: Properties
  readonly old: OldResource | undefined
}

/** Failures before the first request that writes. */
const unmade: readonly string[] = ['apply/failed', 'resource/key-taken', 'resource/not-found']

function rethrowUnless404(error: unknown): void {
  if ((error as { status?: number }).status !== 404) throw error
}

const isRun = (urn: string) => parseUrn(urn).type === runToken

function clsOf(token: string): Cls {
  const cls = findClsOfToken(token)
  if (cls !== undefined) return cls
  throw problem('usage/bad-argument', `There is no type ${token}.`, {
    hint:
      findHint(token, [...resourceTypes.keys()]) ?? `Types are named after classes: ${clsNames.join(', ')}.`,
  })
}
