import { resolve } from 'node:path'
import { runtime } from '@pulumi/pulumi'
import { unwrapProperties, wrapSecrets } from '../provider/property_values.ts'
import { LandformProvider } from '../provider/provider.ts'
import { outputsOf } from '../provider/resource_state.ts'
import { findClsOfToken, runToken } from '../provider/resource_type.ts'

/** A resource of a program under test. */
export interface DeclaredResource {
  readonly type: string
  readonly name: string
  readonly id: string
  /** Checked inputs: with keys, display names and digests of data. Secrets are marked as on the wire of Pulumi. */
  readonly inputs: Readonly<Record<string, unknown>>
}

/** A changed property of a resource between two runs of a program. */
export interface PropertyDifference {
  /** Name of the resource. */
  readonly resource: string
  readonly path: string
  readonly kind: 'add' | 'update' | 'delete'
  /** Whether the resource is replaced. */
  readonly replaces: boolean
}

/** Mocks of a test. */
export interface LandformMocks {
  /** Resources that the program has declared, in order. */
  readonly resources: readonly DeclaredResource[]
  /** Waits until the program has declared its resources. @throws {Error} with all faults of their inputs */
  finish(): Promise<void>
  /** Compares the inputs of resources with those of an earlier run, as `pulumi preview` does. */
  compare(earlier: readonly DeclaredResource[]): PropertyDifference[]
}

/** Options of mocks. */
export interface MockOptions {
  /** Name of the project. @default 'project' */
  readonly project?: string
  /** Name of the stack. @default 'stack' */
  readonly stack?: string
  /** Whether outputs are unknown, as in a preview. @default false */
  readonly preview?: boolean
  /** Folder that paths of data start from. @default the working directory */
  readonly folder?: string
  /** Answers function calls such as `landform:index:getLayer`; they fail without it. */
  readonly call?: (args: runtime.MockCallArgs) => Readonly<Record<string, unknown>>
  /** Creates resources of other packages. Their outputs are their inputs without it. */
  readonly newResource?: (args: runtime.MockResourceArgs) => {
    id: string | undefined
    state: Record<string, unknown>
  }
}

/** Outputs of a run of a pipeline, which tests do not execute. */
const untouched = {
  ...{ run: 'test', outcome: 'unchanged', read: 0, loaded: 0, unchanged: 0, quarantined: 0, layers: [] },
}

/**
 * Sets mocks that check resources of landform as the provider does: `finish` reports misspelt properties, impossible values,
 * missing files and two resources with one key. Call it before the program is imported. Sends no request.
 */
export async function setLandformMocks(options: MockOptions = {}): Promise<LandformMocks> {
  const { project = 'project', stack = 'stack', preview = false, folder = resolve('.') } = options
  const provider = new LandformProvider({ version: '0.0.0', env: {}, folder })
  const resources: DeclaredResource[] = []
  const faults: string[] = []
  const urnOf = (type: string, name: string) => `urn:pulumi:${stack}::${project}::${type}::${name}`
  const mocks: runtime.Mocks = {
    call: (args) => {
      if (options.call !== undefined) return options.call(args)
      throw new Error(`The test calls ${args.token}: answer it with the option "call".`)
    },
    newResource: async (args) => {
      const { type, name, inputs } = args
      if (findClsOfToken(type) === undefined && !type.startsWith('landform:'))
        return options.newResource?.(args) ?? { id: `${name}_id`, state: inputs }
      if (args.custom === false || type === 'pulumi:providers:landform') return { id: '', state: inputs }
      const checked = await provider.check(urnOf(type, name), { news: unwrapProperties(inputs) })
      const { values, secrets } = checked
      faults.push(...checked.faults.map(({ property, reason }) => `${name}.${property}: ${reason}`))
      const number = resources.length + 1
      const wire = wrapSecrets(values, secrets)
      resources.push({ type, name, id: String(number), inputs: wire })
      const outputs = type === runToken ? { ...values, ...untouched } : outputsOf(values, number)
      return { id: String(number), state: wrapSecrets(outputs, secrets) }
    },
  }
  await runtime.setMocks(mocks, project, stack, preview)
  return {
    resources,
    finish: async () => {
      await runtime.disconnect()
      if (faults.length > 0) throw new Error(faults.join('\n'))
    },
    compare: (earlier) =>
      resources.flatMap(({ type, name, inputs }) => {
        const before = earlier.find((one) => one.type === type && one.name === name)
        if (before === undefined) return []
        const sides = { olds: unwrapProperties(before.inputs), news: unwrapProperties(inputs), ignored: [] }
        return provider.diff(urnOf(type, name), sides).map((change) => ({ resource: name, ...change }))
      }),
  }
}
