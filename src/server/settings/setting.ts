/** A setting of the server: how it is written on the command line and in the environment, and its default. */
export interface Setting<T> {
  /** Option of the command line; absent where the value is a secret, which other users could read there. */
  readonly flag?: `--${string}`
  /** Placeholder of the option's value, such as `<size>`; absent for a switch. */
  readonly argument?: `<${string}>`
  /** Whether the option may be repeated; several values are separated by commas. */
  readonly isList?: boolean
  /** Environment variable, read if the option is absent. */
  readonly variable: `LANDFORM_${string}`
  /** Noun phrase for the help. */
  readonly help: string
  /** Value if neither is set. */
  readonly default?: T
  /** Default as shown in the help. */
  readonly defaultHelp?: string
  /**
   * Parses the value of the option or the variable.
   *
   * @param name the option or variable, for the error
   * @throws {Problem} usage/bad-argument
   */
  parse(text: string, name: string): T
}
