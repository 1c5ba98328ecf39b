import type { AccessResource, AccessRule, Key } from '../../access/access_tree.ts'
import { findRequirement, isCls } from '../../contract/registry.ts'
import type { Manifest, WantedResource } from '../../manifest/manifest.ts'
import { idIn, type LintResource, type LintTree, listLintReferences, listLintSubjects } from './lint_tree.ts'

const system = { guest: 'guest', everyone: 'everyone', authenticated: 'authenticated', owner: 'owner' }

/** Owner of resources without `owner:`, who is not known before the apply. */
const anyOwner = 'the owner'

const administrators: ReadonlySet<Key> = new Set(['administrators', 'administrator'])

/**
 * Reads a manifest as a tree to lint. The root is assumed to have no other rules than those of the manifest, and to be
 * readable; the rules of other existing resources are not known.
 */
export function lintTreeOfManifest({ resources }: Manifest): LintTree {
  const access = new Map<Key, AccessResource>()
  const found = new Map<Key, LintResource>()
  const byId = new Map(
    [...resources.values()].flatMap(({ id, key }) => (id === undefined ? [] : [[id, key] as const])),
  )
  const find = (value: unknown): Key | undefined => {
    const key = typeof value === 'string' ? value : byId.get(idIn(value) ?? -1)
    return key !== undefined && resources.has(key) ? key : undefined
  }
  for (const wanted of resources.values()) {
    const { key, cls = 'resource_group', parent, members, existing } = wanted
    if (isCls(cls)) access.set(key, accessOf(wanted, find))
    const isKnown = existing ? wanted.id === 0 : parent !== undefined && found.get(parent)?.isKnown === true
    found.set(key, {
      key,
      label: key,
      cls,
      displayName: wanted.displayName ?? key,
      parent,
      references: listLintReferences(cls, members, find),
      isKnown,
      isReported: !existing,
      rulesPointer: wanted.permissions?.owns === 'listed' ? '/permissions/include' : '/permissions',
      spanOf: wanted.spanOf,
    })
  }
  const nameOf = (key: Key) => (administrators.has(key) ? undefined : String(key))
  return {
    resources: found,
    access,
    subjects: listLintSubjects(access.values(), system, nameOf),
    hasRules: [...resources.values()].some(({ permissions }) => permissions !== undefined),
  }
}

const readable: AccessRule = {
  action: 'allow',
  principal: system.everyone,
  identity: '',
  scope: 'resource',
  permission: 'read',
  propagate: false,
}

const principalOf = (name: string) => name.replace(/^(?:user|group):/, '')

function accessOf(wanted: WantedResource, find: (value: unknown) => Key | undefined): AccessResource {
  const { cls = 'resource_group', parent, owner, permissions, existing, members } = wanted
  const rules = (permissions?.rules ?? []).map((rule) => ({
    ...rule,
    principal: principalOf(rule.principal),
  }))
  const needsConnection = findRequirement(cls)?.on === 'connection'
  return {
    cls,
    parent,
    owner: owner === undefined ? anyOwner : principalOf(owner),
    rules: existing ? [...rules, readable] : rules,
    connection: needsConnection ? find(members[cls]?.connection) : undefined,
  }
}
