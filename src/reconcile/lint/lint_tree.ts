import type { AccessResource, AccessSubject, AccessTree, Key } from '../../access/access_tree.ts'
import { descriptorOf, isCls } from '../../contract/registry.ts'
import { findReferences, targetIdOf } from '../../contract/schema/references.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import type { SpanOf } from '../../manifest/manifest.ts'

/** A resource to lint. */
export interface LintResource {
  readonly key: Key
  /** Manifest key, keyname or `#id`. */
  readonly label: string
  readonly cls: string
  readonly displayName: string
  readonly parent: Key | undefined
  /** Resources that its members refer to, by id or key. */
  readonly references: readonly LintReference[]
  /** Whether all rules that determine its permissions are known. */
  readonly isKnown: boolean
  /** Whether it is reported; other resources are context. */
  readonly isReported: boolean
  /** Pointer of the list of its rules in the manifest. */
  readonly rulesPointer: Pointer
  /** Spans in the manifest; absent for resources of a server. */
  readonly spanOf?: SpanOf
}

/** A reference to another resource. */
export interface LintReference {
  /** Pointer in the block of the resource. */
  readonly pointer: Pointer
  readonly target: Key | undefined
}

/** Users whose permissions are looked at, with their name in messages. */
export interface LintSubject {
  readonly name: string
  readonly subject: AccessSubject
}

/** Resources of a manifest or a server, with those who may have permissions on them. */
export interface LintTree {
  readonly resources: ReadonlyMap<Key, LintResource>
  readonly access: AccessTree
  /** Guests first; without administrators. */
  readonly subjects: readonly LintSubject[]
  /** Whether any rule is known: without one, the manifest leaves permissions to others. */
  readonly hasRules: boolean
  /** Whether there may be resources that neither refer to those of the tree nor are referred to. */
  readonly isPart?: boolean
}

/** Names of the system users, as keys of the access tree. */
export interface SystemKeys {
  readonly guest: Key
  readonly everyone: Key
  readonly authenticated: Key
  readonly owner: Key
}

/** Lists guests, signed-in users, and the owners, users and groups in rules. */
export function listLintSubjects(
  tree: Iterable<AccessResource>,
  { guest, everyone, authenticated, owner }: SystemKeys,
  nameOf: (key: Key) => string | undefined,
): LintSubject[] {
  const named = new Set<Key>()
  for (const resource of tree) {
    named.add(resource.owner)
    for (const { principal } of resource.rules) named.add(principal)
  }
  for (const key of [guest, everyone, authenticated, owner]) named.delete(key)
  const subjectOf = (user: Key, principals: readonly Key[]): AccessSubject => ({
    user,
    principals: new Set(principals),
    ownerPrincipal: owner,
  })
  return [
    { name: 'guests', subject: subjectOf(guest, [guest, everyone]) },
    { name: 'signed-in users', subject: subjectOf('any user', [authenticated, everyone]) },
    ...[...named].flatMap((key) => {
      const name = nameOf(key)
      return name === undefined ? [] : [{ name, subject: subjectOf(key, [key, authenticated, everyone]) }]
    }),
  ]
}

/** Lists the references in the members of a resource. */
export function listLintReferences(
  cls: string,
  members: Readonly<Record<string, unknown>>,
  find: (value: unknown) => Key | undefined,
): LintReference[] {
  if (!isCls(cls)) return []
  return Object.entries(descriptorOf(cls).members).flatMap(([member, schema]) =>
    members[member] === undefined
      ? []
      : findReferences(schema, members[member])
          .filter(({ target }) => target !== 'principal')
          .map(({ pointer, value }) => ({
            pointer: joinPointer('', member) + pointer,
            target: find(value),
          })),
  )
}

/** Returns the id in a reference that is written as `{id}` or as the id. */
export function idIn(value: unknown): number | undefined {
  const id = targetIdOf(value)
  return typeof id === 'number' ? id : undefined
}
