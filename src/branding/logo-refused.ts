/** Thrown for a file that cannot be a logo; the message completes "logo …". */
export class LogoRefused extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'LogoRefused';
  }
}
