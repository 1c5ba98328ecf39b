import { resolveResource } from '../api/resolve_resource.ts'
import { problem } from '../contract/problems.ts'
import { type Cls, clsNames } from '../contract/registry.ts'
import { findHint } from '../core/suggest.ts'
import { readsAll } from '../reconcile/model/actual_tree.ts'
import { compareInputs, type PropertyChange } from './compare_inputs.ts'
import type { Properties, Values } from './property_values.ts'
import { openApi, readConfig } from './provider_config.ts'
import { type InputFault, listReferred, makeManifest } from './resource_manifest.ts'
import { listSecrets } from './resource_secrets.ts'
import { outputsOf, readInputs } from './resource_state.ts'
import { findClsOfToken, parseUrn, resourceTypes } from './resource_type.ts'
import { createTreeMemory } from './tree_memory.ts'
import { type Connection, deleteResource, writeResource } from './write_resource.ts'

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
  folder: string
}

/** The provider, apart from the protocol. All of its functions throw Problems. */
export class LandformProvider {
  readonly place: ProviderPlace
  #connection: (Connection & { readonly close: () => Promise<void> }) | undefined
  #stop = new AbortController()
  /** URNs by key, of the resources that were checked. */
  readonly #owners = new Map<string, string>()

  constructor(place: ProviderPlace) {
    this.place = place
  }

  /** Configures the server and its credentials. Sends no request. */
  async configure(config: Properties): Promise<void> {
    const settings = readConfig(config, this.place.env)
    await this.#connection?.api.close()
    this.#owners.clear()
    const api = openApi(settings, this.place.version)
    const { signal } = this.#stop
    const memory = createTreeMemory(api, signal)
    const { manifest: manifestId, allowDelete } = settings
    this.#connection = { api, memory, manifestId, allowDelete, signal, close: () => api.close() }
  }

  /** Stops all running work. */
  cancel(): void {
    this.#stop.abort()
  }

  /** Checks inputs and fills in the key and the display name. */
  async check(
    urn: string,
    { values, secrets, unknowns }: Properties,
  ): Promise<MarkedValues & { readonly faults: InputFault[] }> {
    const { type, name } = parseUrn(urn)
    const cls = clsOf(type)
    const key = values.key ?? name
    const inputs: Values = { ...values, key, display_name: values.display_name ?? key }
    const { faults } = makeManifest({ ...this.#manifestPlace(), cls, inputs, unknowns })
    const named = unknowns.includes('/key') ? [] : this.#claim(String(key), urn)
    const missing = faults.length > 0 ? [] : await this.#findMissing(cls, inputs, unknowns)
    return {
      values: inputs,
      secrets: [...secrets, ...writtenSecrets(cls, inputs)],
      faults: [...faults, ...named, ...missing],
    }
  }

  #claim(key: string, urn: string): InputFault[] {
    const owner = this.#owners.get(key)
    this.#owners.set(key, owner ?? urn)
    if (owner === undefined || owner === urn) return []
    return [
      { property: 'key', reason: `"${key}" is also the key of ${parseUrn(owner).name}; keys are unique` },
    ]
  }

  /** Finds names that are neither on the server nor in the program, if the account reads the whole server. */
  async #findMissing(cls: Cls, inputs: Values, unknowns: readonly string[]): Promise<InputFault[]> {
    const names = new Map([...listReferred(cls, inputs).map((name) => [name, cls] as const)])
    if (typeof inputs.parent === 'string') names.set(inputs.parent, cls)
    const unresolved = [...names.keys()].filter((name) => !this.#owners.has(name) && !name.startsWith('#'))
    if (unresolved.length === 0 || unknowns.length > 0 || this.#connection === undefined) return []
    const tree = await this.#connection.memory.load().catch(() => undefined)
    if (tree === undefined || !readsAll(tree.head)) return []
    return unresolved.flatMap((name) => {
      if (tree.idOfKey.has(name)) return []
      const hint = findHint(name, [...tree.idOfKey.keys(), ...this.#owners.keys()])
      const property = inputs.parent === name ? 'parent' : cls
      const advice = hint ?? 'create it in the program, and pass its key'
      return [{ property, reason: `there is no resource "${name}"; ${advice}` }]
    })
  }

  /** Compares inputs with earlier ones. */
  diff(
    urn: string,
    sides: { readonly olds: Properties; readonly news: Properties; readonly ignored: readonly string[] },
  ): PropertyChange[] {
    const cls = clsOf(parseUrn(urn).type)
    const { olds, news, ignored } = sides
    const old = makeManifest({ ...this.#manifestPlace(), cls, inputs: olds.values }).wanted
    if (old === undefined)
      throw problem('usage/bad-argument', 'The earlier inputs of the resource are invalid.')
    const { wanted } =
      news.unknowns.length > 0 ? {} : makeManifest({ ...this.#manifestPlace(), cls, inputs: news.values })
    return compareInputs({
      cls,
      olds: { wanted: old, properties: olds },
      news: { ...(wanted === undefined ? {} : { wanted }), properties: news },
      ignored,
    })
  }

  /** Creates a resource, or updates the one with an id, and returns its id and outputs. */
  async write(
    urn: string,
    inputs: Properties,
    old?: { readonly id: number; readonly inputs: Properties },
  ): Promise<MarkedValues & { readonly id: number }> {
    const cls = clsOf(parseUrn(urn).type)
    const id = old?.id
    const made = makeManifest({
      ...this.#manifestPlace(),
      cls,
      inputs: inputs.values,
      ...(id === undefined ? {} : { id }),
    })
    if (made.manifest === undefined || made.wanted === undefined) throw refused(made.faults)
    const sendsSecrets =
      old === undefined ||
      this.diff(urn, { olds: old.inputs, news: inputs, ignored: [] }).some(({ path }) => isSecret(cls, path))
    const connection = this.#connected()
    const written = await writeResource(connection, {
      key: made.wanted.key,
      manifest: made.manifest,
      sendsSecrets,
      ...(id === undefined ? {} : { id }),
    })
    return { id: written, values: outputsOf(inputs.values, written), secrets: inputs.secrets }
  }

  /** Reads a resource by id, or for imports by key or path too; undefined if it is gone. */
  async read(
    urn: string,
    name: string,
    inputs: Properties,
  ): Promise<(MarkedValues & { readonly id: number }) | undefined> {
    const cls = clsOf(parseUrn(urn).type)
    const { memory, api, signal } = this.#connected()
    const tree = await memory.load()
    const isImport = inputs.values.key === undefined
    const id = /^\d+$/.test(name)
      ? Number(name)
      : (tree.idOfKey.get(name) ?? (await resolveResource(api, name, signal)).resource.id)
    const found = readInputs(tree, { cls, id, inputs, place: this.#manifestPlace() })
    const there = tree.byId.get(id)
    if (found === undefined && there !== undefined)
      throw problem('plan/wrong-class', `Resource ${id} is a ${there.resource.cls}, not a ${cls}.`)
    if (found !== undefined)
      return { id, values: found, secrets: [...inputs.secrets, ...writtenSecrets(cls, found)] }
    if (isImport || !readsAll(tree.head))
      await api.call('resource.get', { params: { id }, signal }).catch(rethrowUnless404)
    return undefined
  }

  /** Deletes a resource. */
  delete(id: number): Promise<void> {
    return deleteResource(this.#connected(), id)
  }

  /** Lists the resources of a type. */
  async list(token: string): Promise<{ readonly id: number; readonly name: string }[]> {
    const cls = clsOf(token)
    const { byId } = await this.#connected().memory.load()
    return [...byId.values()].flatMap(({ resource: { id, cls: own, keyname, display_name } }) =>
      own === cls ? [{ id, name: keyname ?? display_name ?? String(id) }] : [],
    )
  }

  /** Calls a function of the package. */
  async invoke(token: string, { values }: Properties): Promise<Values> {
    const { api, signal } = this.#connected()
    if (typeof values.name !== 'string')
      throw problem('usage/bad-argument', 'name: expected a key, an id or a path.')
    const found = await resolveResource(api, values.name, signal)
    const { id, cls, keyname, display_name } = found.resource
    const base = { resource_id: id, cls, key: keyname ?? null, display_name: display_name ?? '' }
    if (token === 'landform:index:getResource') return base
    if (token === 'landform:index:getPermissions')
      return { ...base, permissions: await api.call('resource.permission', { params: { id }, signal }) }
    if (token !== 'landform:index:getLayer')
      throw problem('usage/bad-argument', `There is no function ${token}.`)
    const [{ total_count }, { extent }] = await Promise.all([
      api.call('feature.count', { params: { id }, signal }),
      api.call('layer.extent', { params: { id }, signal }),
    ])
    return { ...base, features: total_count, extent: extent as Values }
  }

  #connected(): Connection {
    if (this.#connection === undefined) throw problem('usage/bad-argument', 'The provider is not configured.')
    return this.#connection
  }

  #manifestPlace() {
    return { manifestId: this.#connection?.manifestId ?? 'pulumi', folder: this.place.folder }
  }
}

function rethrowUnless404(error: unknown): void {
  if ((error as { status?: number }).status !== 404) throw error
}

function clsOf(token: string): Cls {
  const cls = findClsOfToken(token)
  if (cls !== undefined) return cls
  throw problem('usage/bad-argument', `There is no type ${token}.`, {
    hint:
      findHint(token, [...resourceTypes.keys()]) ?? `Types are named after classes: ${clsNames.join(', ')}.`,
  })
}

function writtenSecrets(cls: Cls, inputs: Values): string[] {
  return listSecrets(cls).filter((pointer) => pointerExists(inputs, pointer))
}

function pointerExists(inputs: Values, pointer: string): boolean {
  const [, member = '', field = ''] = pointer.split('/')
  return (inputs[member] as Values | undefined)?.[field] !== undefined
}

const isSecret = (cls: Cls, path: string) =>
  listSecrets(cls).some((pointer) => pointer.slice(1).replace('/', '.') === path)

function refused(faults: readonly InputFault[]) {
  return problem(
    'usage/bad-argument',
    faults.map(({ property, reason }) => `${property}: ${reason}`).join('\n'),
    { hint: undefined },
  )
}
