import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Manifest } from '../../src/manifest/manifest.ts'
import { unwrapProperties, type Values } from '../../src/provider/property_values.ts'
import { LandformProvider } from '../../src/provider/provider.ts'
import { tokenOf } from '../../src/provider/resource_type.ts'
import { listManaged, writeProperties } from '../../src/pulumi/tree_properties.ts'
import type { ActualResource, ActualTree } from '../../src/reconcile/model/actual_tree.ts'
import { readActualTree } from '../../src/reconcile/plan/plan_manifest.ts'
import { pullTree } from '../../src/reconcile/pull/pull_tree.ts'
import { arbitraryTree } from '../reconcile/support/arbitrary.ts'
import { type Block, manifestOf, tell } from '../reconcile/support/literals.ts'
import { applyAll, planAll, renameTop, useSandboxes } from '../reconcile/support/sandbox.ts'
import { assertLaw, casesOn, isSoak, patience, stepsOf } from '../support/law_runs.ts'
import { adminPassword, describeServer } from '../support/server.ts'

const seed = 17

/** Updates of a stack in a run. */
const steps = 5

/** State of a stack: id and checked inputs by URN, in the order of dependencies. */
type State = Map<string, { readonly id: string; readonly values: Values }>

interface Stack {
  readonly provider: LandformProvider
  readonly state: State
}

const newProvider = () => new LandformProvider({ version: '1.0.0', env: {}, folder: '/' })
const marked = (values: Values) => unwrapProperties(values)

/** Checks the resources of a manifest as a program with it declares them. */
async function checkAll(provider: LandformProvider, manifest: Manifest): Promise<Map<string, Values>> {
  const found = new Map<string, Values>()
  for (const wanted of listManaged(manifest)) {
    const urn = `urn:pulumi:dev::city::${tokenOf(wanted.cls)}::${wanted.key}`
    const sent = JSON.parse(JSON.stringify(writeProperties(wanted, manifest, (key) => key))) as Values
    const { values, faults } = await provider.check(urn, { news: marked(sent) })
    expect(faults).toEqual([])
    found.set(urn, values)
  }
  return found
}

/** Does what the engine does in an update, and returns its steps. */
async function up({ provider, state }: Stack, manifest: Manifest): Promise<string[]> {
  const steps: string[] = []
  const wanted = await checkAll(provider, manifest)
  for (const [urn, values] of wanted) {
    const old = state.get(urn)
    const inputs = marked(values)
    state.delete(urn)
    const before = old && { id: old.id, inputs: marked(old.values) }
    const changes = before && provider.diff(urn, { olds: before.inputs, news: inputs, ignored: [] })
    if (changes?.length === 0) {
      state.set(urn, { id: before?.id ?? '', values })
      continue
    }
    expect(changes?.filter(({ replaces }) => replaces) ?? []).toEqual([])
    steps.push(`${old === undefined ? 'create' : 'update'} ${urn}`)
    await provider.preview(urn, inputs, before)
    state.set(urn, { id: (await provider.write(urn, inputs, before)).id, values })
  }
  for (const [urn, { id }] of [...state].reverse()) {
    if (wanted.has(urn)) continue
    steps.push(`delete ${urn}`)
    await provider.delete(urn, id)
    state.delete(urn)
  }
  return steps
}

test('the difference between a generated tree and itself is empty, without a server', async () => {
  await assertLaw(
    fc.asyncProperty(arbitraryTree('T'), async (blocks) => {
      const provider = newProvider()
      const tree = manifestOf({ T: {}, ...blocks })
      const first = await checkAll(provider, tree)
      for (const [urn, values] of await checkAll(provider, tree)) {
        const olds = marked(first.get(urn) ?? {})
        expect(provider.diff(urn, { olds, news: marked(values), ignored: [] })).toEqual([])
      }
    }),
    { seed, cases: isSoak ? 2000 : 50 },
  )
})

describeServer('a stack of a generated tree', (start, driver) => {
  const sandbox = useSandboxes(start)

  test('is unchanged after an update, and equals the tree that landform apply makes', patience, async () => {
    await assertLaw(
      fc.asyncProperty(stepsOf(arbitraryTree('T'), steps), async (trees) => {
        const { server, api, top } = await sandbox()
        const stack: Stack = { provider: newProvider(), state: new Map() }
        const settings = marked({ server: server.url, password: adminPassword, manifest: top })
        try {
          for (const blocks of trees) {
            const tree = treeOf(blocks, top)
            await stack.provider.configure(settings)
            await up(stack, tree)
            await stack.provider.configure(settings)
            expect(await up(stack, tree)).toEqual([])
            expect(await readStack(stack)).toEqual([...stack.state.values()].map(({ values }) => values))
            expect(tell(await planAll(api, tree))).toEqual([])
            await applyAll(api, treeOf(blocks, `${top}other`))
            const all = await readActualTree(api)
            expect(describeTree(all, top)).toEqual(describeTree(all, `${top}other`))
          }
        } finally {
          await stack.provider.close()
        }
      }),
      { seed, cases: casesOn[driver], steps },
    )
  })
})

const treeOf = (blocks: Readonly<Record<string, Block>>, top: string) =>
  manifestOf({ [top]: { displayName: top }, ...renameTop(blocks, top) }, top)

/** Reads the inputs of all resources of a stack, in the order of its state. */
function readStack({ provider, state }: Stack): Promise<(Values | undefined)[]> {
  const reads = [...state].map(async ([urn, { id, values }]) => {
    const found = await provider.read(urn, id, { inputs: marked(values), readOutputs: () => ({}) })
    return found?.values
  })
  return Promise.all(reads)
}

/** Describes a tree as a pull writes it, with the fields that its manifest owns; the name of the case is replaced. */
function describeTree(tree: ActualTree, top: string): string {
  const root = tree.byKeyname.get(top)
  if (root === undefined) throw new Error(`there is no ${top}`)
  const own = [...tree.byId.values()].filter(({ manager }) => manager === top)
  const ownedFields = ({ keyname, marks }: ActualResource) => [
    keyname,
    // Digests of references depend on ids.
    ...Object.entries(marks).map(
      ([name, mark]) => `${name} ${String(mark).replace(/=\S+|^\d+ |\/\d+$/g, '')}`,
    ),
  ]
  const { manifest } = pullTree({ tree, root, manifestId: top })
  const text = JSON.stringify([manifest, own.map(ownedFields).sort()], null, 1)
  return text.replaceAll(new RegExp(`\\b${top}\\b`, 'g'), 'T')
}
