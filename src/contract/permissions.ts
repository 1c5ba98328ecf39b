/** Permission of a scope. */
export interface Permission {
  readonly label: string
  /** Permission that this one requires, on the resource itself or on its parent. */
  readonly requires?: { readonly permission: string; readonly on: 'self' | 'parent' }
}

/** Group of permissions. */
export interface ScopeDescriptor {
  readonly label: string
  readonly permissions: Readonly<Record<string, Permission>>
}

const self = (permission: string) => ({ permission, on: 'self' }) as const

/** Scopes and permissions of the API document, with their required permissions. */
export const scopes = {
  resource: {
    label: 'Resource',
    permissions: {
      read: { label: 'Read', requires: { permission: 'resource.read', on: 'parent' } },
      create: { label: 'Create', requires: self('resource.read') },
      update: { label: 'Update', requires: self('resource.read') },
      delete: { label: 'Delete', requires: self('resource.read') },
      manage_children: { label: 'Manage subresources', requires: self('resource.read') },
      change_permissions: { label: 'Change permissions', requires: self('resource.read') },
    },
  },
  service: {
    label: 'Service',
    permissions: {
      connect: { label: 'Connect', requires: self('resource.read') },
      configure: { label: 'Configure', requires: self('service.connect') },
    },
  },
  datastruct: {
    label: 'Data structure',
    permissions: {
      read: { label: 'Read', requires: self('resource.read') },
      write: { label: 'Write', requires: self('datastruct.read') },
    },
  },
  connection: {
    label: 'Connection',
    permissions: {
      read: { label: 'Read', requires: self('resource.read') },
      write: { label: 'Write', requires: self('connection.read') },
      connect: { label: 'Connect', requires: self('resource.read') },
    },
  },
  webmap: {
    label: 'Web map',
    permissions: { display: { label: 'Display', requires: self('resource.read') } },
  },
  data: {
    label: 'Data',
    permissions: {
      read: { label: 'Read', requires: self('resource.read') },
      write: { label: 'Write', requires: self('data.read') },
    },
  },
  metadata: {
    label: 'Metadata',
    permissions: {
      read: { label: 'Read', requires: self('resource.read') },
      write: { label: 'Write', requires: self('metadata.read') },
    },
  },
} as const satisfies Record<string, ScopeDescriptor>

/** Name of a scope. */
export type Scope = keyof typeof scopes

/** A permission with its scope, as `scope.permission`. */
export type PermissionName = {
  [S in Scope]: `${S}.${Extract<keyof (typeof scopes)[S]['permissions'], string>}`
}[Scope]

/** Every permission, scope by scope. */
export const permissionNames: readonly PermissionName[] = Object.entries(scopes).flatMap(
  ([scope, { permissions }]) =>
    Object.keys(permissions).map((permission) => `${scope}.${permission}` as PermissionName),
)

/** Finds a permission by name. */
export function findPermission(name: string): Permission | undefined {
  const [scope = '', permission = ''] = name.split('.')
  if (!Object.hasOwn(scopes, scope)) return undefined
  const { permissions }: ScopeDescriptor = scopes[scope as Scope]
  return Object.hasOwn(permissions, permission) ? permissions[permission] : undefined
}

/** Returns the permissions of some scopes, in the order of the table. */
export function permissionsOf(names: readonly Scope[]): PermissionName[] {
  return permissionNames.filter((name) => names.some((scope) => name.startsWith(`${scope}.`)))
}
