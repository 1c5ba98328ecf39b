import fc from 'fast-check'
import { expect, test } from 'vitest'
import { allEffectivePermissions } from '../../src/access/evaluate.ts'
import { namesOf } from '../../src/access/mask.ts'
import type { AccessResource, AccessSubject, Key } from '../../src/access/tree.ts'
import { permissionNames, scopes } from '../../src/contract/permissions.ts'
import { type Cls, clsNames, isAllowedParent } from '../../src/contract/registry.ts'
import type { Queryable } from '../../src/database/database.ts'
import { bootstrap } from '../../src/store/bootstrap.ts'
import { explainPermissions, findPermissionMasks, findPlacedMasks } from '../../src/store/permission.ts'
import { findUser, type User } from '../../src/store/principal.ts'
import { deleteResources } from '../../src/store/resource_tree.ts'
import { describeDrivers } from '../support/drivers.ts'
import { specifiedPermissions } from '../support/permission-spec.ts'

const numRuns = process.env.LANDFORM_SOAK ? 3000 : 120
const seed = 20_260_101

/** A resource by its place in the list; parents, owners, connections and principals are indices. */
const node = fc.record({
  cls: fc.constantFrom(...clsNames),
  parent: fc.nat(),
  owner: fc.nat(),
  connection: fc.option(fc.nat(), { nil: undefined }),
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
})
type World = typeof world extends fc.Arbitrary<infer T> ? T : never

interface Principals {
  readonly anna: User
  readonly guest: User
  /** Whom rules may speak of. */
  readonly ids: readonly number[]
  readonly ownerId: number
  readonly everyoneId: number
}

describeDrivers('permissions from the database', (open) => {
  test('are those of the specification, of the pure evaluator and of the explanations, for every tree and every rule', {
    timeout: 600_000,
  }, async () => {
    const database = await open()
    const principals = await database.transaction(makePrincipals)
    const property = fc.asyncProperty(world, (made) =>
      database.transaction(async (tx) => {
        await deleteResources(tx, await listIds(tx))
        const tree = await plant(tx, made, principals)
        for (const user of [principals.anna, principals.guest]) {
          await compareStanding(tx, tree, { user, principals })
          await comparePlaced(tx, tree, { user, principals, made })
        }
      }),
    )
    await fc.assert(property, { numRuns, seed })
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

type Tree = Map<Key, AccessResource>

/** Plants a tree in the database, row by row as no request would, and gives the same tree to the evaluator. */
async function plant(
  tx: Queryable,
  made: World,
  { ids, everyoneId, anna, guest }: Principals,
): Promise<Tree> {
  const owners = [anna.id, guest.id, ids.at(-3) ?? anna.id]
  const nodes = [
    {
      id: 0,
      cls: 'resource_group' as Cls,
      parent: null as number | null,
      owner: owners[0] ?? anna.id,
      connection: null as number | null,
    },
  ]
  for (const one of made.nodes) {
    const id = nodes.length
    const { cls, parent } = standAllowed(one, nodes)
    const connection = one.connection === undefined ? null : one.connection % (made.nodes.length + 1)
    nodes.push({ id, cls, parent, owner: owners[one.owner % owners.length] ?? anna.id, connection })
  }
  const open = {
    on: 0,
    action: 'allow',
    principal: everyoneId,
    identity: '',
    scope: made.rules.length % 2 ? 'resource' : '',
    permission: '',
    propagate: true,
  } as const
  const rules = made.rules.map(({ words: [scope = '', permission = ''], ...one }) => ({
    ...one,
    on: one.on % nodes.length,
    principal: ids[one.principal % ids.length] ?? everyoneId,
    scope,
    permission,
  }))
  const all = made.isOpen ? [open, ...rules] : rules
  await insertTree(tx, nodes, all)
  return new Map(
    nodes.map(({ id, parent, connection, ...rest }) => [
      id,
      {
        ...rest,
        parent: parent ?? undefined,
        connection: connection ?? undefined,
        rules: all.filter((rule) => rule.on === id),
      },
    ]),
  )
}

interface Standing {
  readonly cls: Cls
  readonly parent: number
}

/** Gives class and parent of a node: one of the classes that may stand under the parent, or under the root. */
function standAllowed({ cls, parent: at }: World['placed'], nodes: readonly { cls: Cls }[]): Standing {
  const parent = at % nodes.length
  const below = (id: number) =>
    clsNames.filter((one) => isAllowedParent(one, nodes[id]?.cls ?? 'resource_group'))
  const choices = below(parent).length > 0 ? below(parent) : below(0)
  return {
    cls: choices.includes(cls) ? cls : (choices[at % choices.length] ?? 'resource_group'),
    parent: below(parent).length > 0 ? parent : 0,
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

async function compareStanding(tx: Queryable, tree: Tree, asked: Asked): Promise<void> {
  const ids = [...tree.keys()].map(Number)
  const masks = await findPermissionMasks(tx, asked.user, [...ids, 9999])
  // Many are read in another way than few; repeating them makes them many.
  const many = await findPermissionMasks(tx, asked.user, Array.from({ length: 40 }, () => ids).flat())
  expect(new Map([...many].sort(([a], [b]) => a - b))).toEqual(new Map([...masks].sort(([a], [b]) => a - b)))
  const expected = specifiedPermissions(tree, subjectOf(asked))
  const evaluated = allEffectivePermissions(tree, subjectOf(asked))
  expect([...masks.keys()].sort((a, b) => a - b)).toEqual(ids)
  for (const id of ids) {
    expect(namesOf(masks.get(id) ?? 0), `${id}`).toEqual(inOrder(expected.get(id)))
    expect(inOrder(evaluated.get(id)), `${id}`).toEqual(inOrder(expected.get(id)))
    const explained = await explainPermissions(tx, asked.user, { id, permissions: permissionNames })
    const holding = [...(explained ?? [])].filter(([, { result }]) => result).map(([name]) => name)
    expect(holding, `${id}`).toEqual(inOrder(expected.get(id)))
  }
}

async function comparePlaced(tx: Queryable, tree: Tree, asked: Asked & { made: World }): Promise<void> {
  const { cls, parent: parentId } = standAllowed(asked.made.placed, [...tree.values()])
  const id = 7777
  const masks = await findPlacedMasks(tx, asked.user, [{ id, cls, parentId }])
  const placed = { cls, parent: parentId, owner: asked.user.id, rules: [] }
  const expected = specifiedPermissions(new Map(tree).set(id, placed), subjectOf(asked))
  expect(namesOf(masks.get(id) ?? 0)).toEqual(inOrder(expected.get(id)))
  expect(namesOf(masks.get(parentId) ?? 0)).toEqual(inOrder(expected.get(parentId)))
}
