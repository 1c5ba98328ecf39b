import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isObject } from '../../src/core/is_object.ts'
import { findAtPointer, joinPointer, type Pointer, splitPointer } from '../../src/core/pointer.ts'
import { signatureKey, signatures, type Values } from '../../src/provider/property_values.ts'
import { tokenOf } from '../../src/provider/resource_type.ts'
import { listManaged, writeProperties } from '../../src/pulumi/tree_properties.ts'
import { arbitraryTree } from '../reconcile/support/arbitrary.ts'
import { type Block, manifestOf } from '../reconcile/support/literals.ts'
import { useSandboxes } from '../reconcile/support/sandbox.ts'
import { assertLaw, isSoak, patience } from '../support/law_runs.ts'
import {
  check,
  create,
  diff,
  type Engine,
  readState,
  remove,
  startConfigured,
  update,
  type Wire,
} from '../support/pulumi_engine.ts'
import { describeServer } from '../support/server.ts'

const runs = { seed: 23, cases: isSoak ? 1000 : 50 }
const marker = 'hunter2hunter2'

describeServer('the secrets of a generated tree', (start) => {
  const sandbox = useSandboxes(start)
  let engine: Engine
  beforeAll(async () => {
    const { url } = await start()
    engine = await startConfigured(url)
  })
  afterAll(() => engine.stop())

  test('are in no state, message or log of the engine in clear', patience, async () => {
    let kept = 0
    const law = fc.asyncProperty(arbitraryTree('T'), fc.infiniteStream(fc.nat()), async (blocks, draws) => {
      const { top } = await sandbox()
      const told: unknown[] = []
      // What fails is a message, too.
      const tell = async <T>(work: Promise<T>): Promise<T | undefined> => {
        const answer = await work.catch((error: Error) => void told.push(error.message))
        told.push(answer)
        return answer as T | undefined
      }
      const draw = () => draws.next().value ?? 0
      const declared = declare(blocks, top)
      // Those of members: few others may be secret. Three of them are enough for a case.
      const markable = declared.filter(({ plain }) => listMarkable(plain).length > 0)
      const chosen = new Set([draw(), draw(), draw()].map((place) => markable[place % markable.length]))
      for (const one of declared) {
        const { urn, plain } = one
        const { inputs: open } = await check(engine, urn, plain)
        // Others refer to it: it is made without secrets if it cannot have these, or if others have them.
        if (!chosen.has(one)) {
          await create(engine, urn, open)
          continue
        }
        const { inputs, failures } = (await tell(check(engine, urn, markSecrets(plain, draw)))) ?? {
          inputs: {},
          failures: [],
        }
        const secret = failures.length === 0 ? inputs : open
        if (failures.length === 0 && JSON.stringify(inputs).includes(marker)) kept += 1
        await tell(create(engine, urn, secret, true))
        const made = (await tell(create(engine, urn, secret))) ?? (await create(engine, urn, open))
        await tell(readState(engine, urn, { id: made.id, inputs: secret, outputs: made.outputs }))
        await tell(diff(engine, urn, [open, secret]))
        await tell(update(engine, urn, { id: made.id, olds: open, news: secret }))
        // Keys and ids that are taken, or gone.
        await tell(create(engine, urn, { ...secret, parent: 'nowhere' }))
        await tell(update(engine, urn, { id: '999999', olds: open, news: secret }))
        await tell(readState(engine, urn, { id: '999999', inputs: secret }))
        await tell(remove(engine, urn, '999999'))
      }
      expect(JSON.stringify(told, hideSecrets)).not.toContain(marker)
    })
    await assertLaw(law, runs)
    expect(kept).toBeGreaterThan(runs.cases / 5)
    expect([...engine.warnings, ...engine.errors].join()).not.toContain(marker)
  })
})

/** Lists the resources of a tree as a program declares them, under a name of its own. */
function declare(blocks: Readonly<Record<string, Block>>, top: string): { urn: string; plain: Wire }[] {
  const text = JSON.stringify(blocks).replaceAll('"T.', `"${top}.`).replaceAll('"T"', `"${top}"`)
  const tree = manifestOf({ [top]: { displayName: top }, ...(JSON.parse(text) as typeof blocks) }, top)
  return listManaged(tree).map((wanted) => ({
    urn: `urn:pulumi:dev::city::${tokenOf(wanted.cls)}::${wanted.key}`,
    plain: JSON.parse(JSON.stringify(writeProperties(wanted, tree, (key) => key))) as Wire,
  }))
}

/** Makes secrets of one or two texts in members, which contain the marker. */
function markSecrets(plain: Wire, draw: () => number): Wire {
  const places = listMarkable(plain)
  const copy = structuredClone(plain)
  const chosen = new Set(
    [draw(), ...(draw() % 2 === 0 ? [] : [draw()])].flatMap((at) => places[at % places.length] ?? []),
  )
  for (const pointer of chosen) {
    const text = String(findAtPointer(plain, pointer))
    const value = text.startsWith('<') ? `${text}<!-- ${marker} -->` : `${text}${marker}`
    const steps = splitPointer(pointer)
    const parent = findAtPointer(copy, joinPointer('', ...steps.slice(0, -1))) as Record<string, unknown>
    parent[steps.at(-1) ?? ''] = { [signatureKey]: signatures.secret, value }
  }
  return copy
}

/** Lists the texts of members. */
function listMarkable(plain: Wire): Pointer[] {
  return listTexts(plain, '').filter((pointer) => splitPointer(pointer).length > 1)
}

function listTexts(value: unknown, at: Pointer): Pointer[] {
  if (typeof value === 'string') return [at]
  if (!isObject(value) && !Array.isArray(value)) return []
  return Object.entries(value as Values).flatMap(([name, part]) => listTexts(part, joinPointer(at, name)))
}

const hideSecrets = (_: string, part: unknown) =>
  isObject(part) && part[signatureKey] === signatures.secret ? '(secret)' : part
