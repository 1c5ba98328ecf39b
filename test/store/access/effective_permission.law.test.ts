import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AccessResource, AccessSubject, Key } from '../../../src/access/access_tree.ts'
import { allEffectivePermissions } from '../../../src/access/evaluate_access.ts'
import { namesOf } from '../../../src/access/permission_mask.ts'
import { permissionNames, permissionsOf, scopes } from '../../../src/contract/permissions.ts'
import { type Cls, clsNames, descriptorOf, isAllowedParent } from '../../../src/contract/registry.ts'
import type { Queryable } from '../../../src/database/database.ts'
import {
  explainPermissions,
  findManagedIds,
  findPermissionMasks,
  findPlannedMasks,
} from '../../../src/store/access/effective_permission.ts'
import { findUser, type User } from '../../../src/store/auth/principal.ts'
import { bootstrap } from '../../../src/store/bootstrap.ts'
import { deleteResources, listRepresentatives } from '../../../src/store/resource/resource_tree.ts'
import { describeDrivers } from '../../support/drivers.ts'
import { specifiedPermissions } from '../../support/permission_spec.ts'

/** Trees that stand side by side in one forest: what is asked at once about all of them is asked in one statement. */
const treesAForest = 40
const numRuns = process.env.LANDFORM_SOAK ? 1500 : 12
const seed = 20_260_101

/** Layers whose data need a connection, with the class of that. */
const connectionOf: Partial<Record<Cls, Cls>> = {
  geodb_layer: 'geodb_connection',
  wmsclient_layer: 'wmsclient_connection',
}
const connected = Object.entries(connectionOf).flat() as Cls[]

/** A resource by its place in the list; parents, owners, connections and principals are indices. */
const node = fc.record({
  cls: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...clsNames) }, fc.constantFrom(...connected)),
  parent: fc.nat(),
  owner: fc.nat(),
  connection: fc.nat(),
})
/** Every pair of scope and permission that a rule may carry. */
const ruleWords = [
  ['', ''],
  ...Object.entries(scopes).flatMap(([scope, { permissions }]) =>
    ['', ...Object.keys(permissions)].map((permission) => [scope, permission]),
  ),
]
const ruleShape = fc.record({
  on: fc.nat(),
  action: fc.constantFrom('allow' as const, 'allow' as const, 'deny' as const),
  principal: fc.nat(),
  identity: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, fc.constantFrom(...clsNames)),
  words: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...ruleWords) },
    // Matches nothing.
    fc.constant(['', 'read']),
  ),
  propagate: fc.boolean(),
})
const world = fc.record({
  // Mostly something is readable, else every answer would be that nothing is.
  isOpen: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
  nodes: fc.array(node, { maxLength: 16 }),
  rules: fc.array(ruleShape, { maxLength: 24 }),
  placed: node,
  explained: fc.nat(),
})
type World = typeof world extends fc.Arbitrary<infer T> ? T : never
const forest = fc.record({
  isOpen: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)),
  rules: fc.array(ruleShape, { maxLength: 3 }),
  worlds: fc.array(world, { maxLength: treesAForest, size: 'max' }),
})
type Forest = typeof forest extends fc.Arbitrary<infer T> ? T : never

interface Principals {
  readonly anna: User
  readonly guest: User
  /** Whom rules may speak of. */
  readonly ids: readonly number[]
  readonly ownerId: number
  readonly everyoneId: number
}

describeDrivers('permissions from the database', (open) => {
  test('equal those of the specification, the pure evaluator and the explanations, for every tree and rule', {
    timeout: 3_600_000,
  }, async () => {
    const database = await open()
    const principals = await database.transaction(makePrincipals)
    const seen = new Seen()
    const property = fc.asyncProperty(forest, (made) =>
      database.transaction(async (tx) => {
        await deleteResources(tx, await listIds(tx))
        const planted = await plant(tx, made, principals)
        for (const user of [principals.anna, principals.guest]) {
          await compareStanding(tx, planted, { user, principals, seen })
          await comparePlaced(tx, planted, { user, principals })
        }
        await compareManaged(tx, planted, principals)
      }),
    )
    await fc.assert(property, { numRuns, seed })
    expect(seen.missing()).toEqual([])
  })

  test('are all of the class for a superuser', async () => {
    const database = await open()
    await database.query("update principal set superuser = true where keyname = 'bob'")
    const bob = await findUser(database, 'bob')
    const [row] = await database.query<{ id: number; cls: string }>('select id, cls from resource limit 1')
    if (bob === undefined || row === undefined) throw new Error('the law before this leaves a tree')
    const mask = (await findPermissionMasks(database, bob, [row.id])).get(row.id) ?? 0
    expect(namesOf(mask)).toContain('resource.change_permissions')
  })
})

async function listIds(tx: Queryable): Promise<number[]> {
  return (await tx.query<{ id: number }>('select id from resource')).map(({ id }) => id)
}

async function makePrincipals(tx: Queryable): Promise<Principals> {
  await bootstrap(tx, 'no password')
  await tx.query(`
    insert into principal (kind, keyname, display_name) values
      ('user', 'anna', 'Anna'), ('user', 'bob', 'Bob'), ('group', 'editors', 'E'), ('group', 'others', 'O')`)
  await tx.query(`
    insert into membership (group_id, user_id) select g.id, u.id from principal g, principal u
     where g.keyname = 'editors' and u.keyname = 'anna' or g.keyname = 'others' and u.keyname = 'bob'`)
  const rows = await tx.query<{ id: number; keyname: string }>(
    'select id, keyname from principal order by id',
  )
  const idOf = (keyname: string) => rows.find((row) => row.keyname === keyname)?.id ?? -1
  const [anna, guest] = [await findUser(tx, 'anna'), await findUser(tx, 'guest')]
  if (anna === undefined || guest === undefined) throw new Error('there are no users')
  const ids = rows.map(({ id }) => id)
  return { anna, guest, ids, ownerId: idOf('owner'), everyoneId: idOf('everyone') }
}

/** Which permissions of which classes were held, and which were not. */
class Seen {
  readonly #known = new Set<string>()

  add(cls: Cls, held: ReadonlySet<string>): void {
    for (const name of permissionsOf(descriptorOf(cls).scopes))
      this.#known.add(`${cls} ${name} ${held.has(name)}`)
  }

  /** Gives what never came: with it, the law would say nothing about that. */
  missing(): string[] {
    return clsNames
      .flatMap((cls) => permissionsOf(descriptorOf(cls).scopes).map((name) => `${cls} ${name}`))
      .flatMap((pair) => [`${pair} true`, `${pair} false`])
      .filter((one) => !this.#known.has(one))
  }
}

type Tree = Map<Key, AccessResource>

interface Planted {
  readonly tree: Tree
  readonly stands: readonly { readonly world: World; readonly nodes: readonly PlantedNode[] }[]
}

interface PlantedNode {
  readonly id: number
  readonly cls: Cls
  readonly parent: number | null
  readonly owner: number
  readonly connection: number | null
}

/** Plants a forest in the database, row by row as no request would, and gives the same to the evaluator. */
async function plant(tx: Queryable, made: Forest, principals: Principals): Promise<Planted> {
  const root: PlantedNode = { id: 0, cls: 'resource_group', parent: null, owner: 0, connection: null }
  const stands = made.worlds.map((one, at) => ({
    world: one,
    nodes: placeNodes(one, 1 + at * 100, principals),
  }))
  const nodes = [{ ...root, owner: principals.anna.id }, ...stands.flatMap((stand) => stand.nodes)]
  const rules = [
    ...placeRules(made, [root], principals),
    ...stands.flatMap((stand) => placeRules(stand.world, stand.nodes, principals)),
  ]
  await insertTree(tx, nodes, rules)
  const rulesOf = Map.groupBy(rules, ({ on }) => on)
  const tree: Tree = new Map(
    nodes.map(({ id, parent, connection, ...rest }) => [
      id,
      {
        ...rest,
        parent: parent ?? undefined,
        connection: connection ?? undefined,
        rules: rulesOf.get(id) ?? [],
      },
    ]),
  )
  return { tree, stands }
}

/** Gives the nodes of one tree, the ids from its first on; that one is a group under the root. */
function placeNodes(made: World, first: number, { ids, anna, guest }: Principals): PlantedNode[] {
  const owners = [anna.id, guest.id, ids.at(-3) ?? anna.id]
  const nodes: PlantedNode[] = [
    { id: first, cls: 'resource_group', parent: 0, owner: anna.id, connection: null },
  ]
  for (const one of made.nodes) {
    const owner = owners[one.owner % owners.length] ?? anna.id
    nodes.push({ id: first + nodes.length, ...standAllowed(one, nodes), owner, connection: null })
  }
  return nodes.map((node, at) => {
    const choices = nodes.filter(({ cls }) => cls === connectionOf[node.cls])
    const { connection = 0 } = made.nodes[at - 1] ?? {}
    return { ...node, connection: choices[connection % choices.length]?.id ?? null }
  })
}

function placeRules(
  { rules, isOpen }: Pick<Forest, 'rules' | 'isOpen'>,
  nodes: readonly PlantedNode[],
  { ids, everyoneId }: Principals,
) {
  const open = {
    on: nodes[0]?.id ?? 0,
    action: 'allow',
    principal: everyoneId,
    identity: '',
    scope: rules.length % 2 ? 'resource' : '',
    permission: '',
    // The root opens nothing but itself: which trees are open is their own affair.
    propagate: nodes[0]?.id !== 0,
  } as const
  const others = rules.map(({ words: [scope = '', permission = ''], ...one }) => ({
    ...one,
    on: nodes[one.on % nodes.length]?.id ?? 0,
    principal: ids[one.principal % ids.length] ?? everyoneId,
    scope,
    permission,
  }))
  return isOpen ? [open, ...others] : others
}

interface Standing {
  readonly cls: Cls
  readonly parent: number
}

/** Gives class and parent of a node: one of the classes that may stand under the parent, or under the first. */
function standAllowed({ cls, parent: at }: World['placed'], nodes: readonly PlantedNode[]): Standing {
  const below = (place: number) =>
    clsNames.filter((one) => isAllowedParent(one, nodes[place]?.cls ?? 'resource_group'))
  const parent = below(at % nodes.length).length > 0 ? at % nodes.length : 0
  const choices = below(parent)
  return {
    cls: choices.includes(cls) ? cls : (choices[at % choices.length] ?? 'resource_group'),
    parent: nodes[parent]?.id ?? 0,
  }
}

async function insertTree(tx: Queryable, nodes: readonly object[], rules: readonly object[]): Promise<void> {
  await tx.query(
    `insert into resource (id, cls, parent_id, owner_id, display_name)
     select id, cls, parent, owner, 'r' || id
       from jsonb_to_recordset($1::jsonb) as n (id int, cls text, parent int, owner int)`,
    [JSON.stringify(nodes)],
  )
  await tx.query(`
    insert into resource_path (ancestor_id, descendant_id, depth)
    with recursive up as (
      select id as descendant, id as ancestor, 0 as depth from resource
      union all
      select u.descendant, r.parent_id, u.depth + 1 from up u join resource r on r.id = u.ancestor
       where r.parent_id is not null)
    select ancestor, descendant, depth from up`)
  await tx.query(
    `insert into resource_connection (resource_id, connection_id)
     select id, connection from jsonb_to_recordset($1::jsonb) as n (id int, connection int)
      where connection is not null and connection <> id`,
    [JSON.stringify(nodes)],
  )
  await tx.query(
    `insert into rule (resource_id, action, principal_id, identity, scope, permission, propagate)
     select distinct "on", action, principal, identity, scope, permission, propagate
       from jsonb_to_recordset($1::jsonb) as r (
         "on" int, action text, principal int, identity text, scope text, permission text, propagate boolean)`,
    [JSON.stringify(rules)],
  )
}

interface Asked {
  readonly user: User
  readonly principals: Principals
}

function subjectOf({ user, principals }: Asked): AccessSubject {
  return { user: user.id, principals: new Set(user.principalIds), ownerPrincipal: principals.ownerId }
}

const inOrder = (held: ReadonlySet<string> | undefined) =>
  permissionNames.filter((name) => held?.has(name) === true)

async function compareStanding(
  tx: Queryable,
  { tree, stands }: Planted,
  asked: Asked & { readonly seen: Seen },
): Promise<void> {
  const ids = [...tree.keys()].map(Number)
  // Many are read in another way than few; repeating them makes them many.
  const many = await findPermissionMasks(tx, asked.user, [...ids, 9999, ...Array(31).fill(0)])
  expect([...many.keys()].sort((a, b) => a - b)).toEqual(ids)
  const expected = specifiedPermissions(tree, subjectOf(asked))
  const evaluated = allEffectivePermissions(tree, subjectOf(asked))
  for (const [id, { cls }] of tree) {
    const names = inOrder(expected.get(id))
    expect([namesOf(many.get(Number(id)) ?? 0), inOrder(evaluated.get(id))], `${id}`).toEqual([names, names])
    asked.seen.add(cls, new Set(names))
  }
  for (const { nodes, world: made } of stands) {
    const few = await findPermissionMasks(
      tx,
      asked.user,
      nodes.map(({ id }) => id),
    )
    expect([...few].map(([id, mask]) => [id, mask === many.get(id)])).toEqual(
      nodes.map(({ id }) => [id, true]),
    )
    const id = nodes[made.explained % nodes.length]?.id ?? 0
    const explained = await explainPermissions(tx, asked.user, { id, permissions: permissionNames })
    const holding = [...(explained ?? [])].filter(([, { result }]) => result).map(([name]) => name)
    expect(holding, `${id}`).toEqual(inOrder(expected.get(id)))
  }
}

const managing = ['resource.read', 'resource.update', 'resource.change_permissions'] as const

/** What two users together can manage, by the specification; and resources that stand for all do so. */
async function compareManaged(
  tx: Queryable,
  { tree, stands }: Planted,
  principals: Principals,
): Promise<void> {
  const { anna, guest, ownerId } = principals
  const administration = { administrators: [anna, guest], ownerPrincipal: ownerId }
  const specified = [anna, guest].map((user) => specifiedPermissions(tree, subjectOf({ user, principals })))
  const isManaged = (id: Key) =>
    specified.some((permissions) => managing.every((name) => permissions.get(id)?.has(name)))
  const managed = await findManagedIds(tx, administration, [...tree.keys()].map(Number))
  expect([...managed].sort()).toEqual([...tree.keys()].map(Number).filter(isManaged).sort())
  const concerned = [ownerId, ...anna.principalIds, ...guest.principalIds]
  const hasRules = (id: number) =>
    (tree.get(id)?.rules ?? []).some(({ principal }) => concerned.includes(Number(principal)))
  for (const { nodes } of stands) {
    const ids = nodes.map(({ id }) => id)
    const chosen = await listRepresentatives(tx, ids.slice(0, 1), concerned)
    expect(ids).toEqual(expect.arrayContaining(chosen))
    for (const { id, parent, cls, owner } of nodes) {
      const isAlike = (other: PlantedNode) =>
        other.parent === parent && other.cls === cls && other.owner === owner && !hasRules(other.id)
      const standIn = hasRules(id)
        ? nodes.find((one) => one.id === id)
        : nodes.find((one) => chosen.includes(one.id) && (one.id === id || isAlike(one)))
      expect([id, chosen.includes(standIn?.id ?? -1), isManaged(standIn?.id ?? -1)]).toEqual([
        id,
        true,
        isManaged(id),
      ])
    }
  }
}

async function comparePlaced(tx: Queryable, { tree, stands }: Planted, asked: Asked): Promise<void> {
  const placed = stands.map(({ world: made, nodes }) => {
    const { cls, parent: parentId } = standAllowed(made.placed, nodes)
    return { id: 7000 + (nodes[0]?.id ?? 0), cls, parentId }
  })
  const masks = await findPlannedMasks(tx, asked.user, placed)
  const grown = new Map(tree)
  for (const { id, cls, parentId } of placed)
    grown.set(id, { cls, parent: parentId, owner: asked.user.id, rules: [] })
  const expected = specifiedPermissions(grown, subjectOf(asked))
  for (const { id, parentId } of placed)
    for (const one of [id, parentId])
      expect(namesOf(masks.get(one) ?? 0), `${one}`).toEqual(inOrder(expected.get(one)))
}
