import { type Input, output, ProviderResource, type ResourceOptions, secret } from '@pulumi/pulumi'
import { packageName } from '../provider/resource_type.ts'

/** Settings of a provider. Settings that are absent come from the environment variables `LANDFORM_*`. */
export interface ProviderArgs {
  /** URL of the server. */
  readonly server?: Input<string>
  /** Login name. */
  readonly user?: Input<string>
  /** Password of the user; kept secret. */
  readonly password?: Input<string>
  /** API token, instead of a user; kept secret. */
  readonly token?: Input<string>
  /** Id that the resources are marked with on the server; `pulumi.PROJECT.STACK` if absent. */
  readonly manifest?: Input<string>
  /** Keys of resources that may be deleted or lose data, although they have features or files. */
  readonly allow_delete?: Input<readonly Input<string>[]>
  /** Whether resources may name resources of the stack that the update does not declare, as with the option --target. */
  readonly allow_undeclared?: Input<boolean>
}

/** A server. Pass it as the option `provider` of resources. */
export class Provider extends ProviderResource {
  constructor(name: string, args: ProviderArgs = {}, options?: ResourceOptions) {
    const { password, token, allow_delete: keys, allow_undeclared: undeclared, ...plain } = args
    super(
      packageName,
      name,
      {
        ...plain,
        password: password === undefined ? undefined : secret(password),
        token: token === undefined ? undefined : secret(token),
        // Settings of providers are strings.
        allow_delete: keys === undefined ? undefined : output(keys).apply((list) => JSON.stringify(list)),
        allow_undeclared: undeclared === undefined ? undefined : output(undeclared).apply(String),
      },
      options,
    )
  }
}
