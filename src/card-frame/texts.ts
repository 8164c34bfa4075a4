export const frameLocales = ['en', 'es', 'pt'] as const;
export type FrameLocale = (typeof frameLocales)[number];

export interface FrameTexts {
  title: string;
  number: string;
  numberEmpty: string;
  numberShort: string;
  numberMistyped: string;
  numberUnsupported: string;
  /** `{brand}` is the brand of the first digits. */
  brandRefused: string;
  /** Shown in place of `numberUnsupported` if only test cards work. */
  numberNoTestCard: string;
  testCards: string;
  expiry: string;
  expiryHint: string;
  expiryEmpty: string;
  expiryWrong: string;
  expiryMonth: string;
  expired: string;
  cvv: string;
  cvvBack: string;
  cvvFront: string;
  cvvBackHint: string;
  cvvFrontHint: string;
  cvvEmpty: string;
  cvvWrong: string;
  accessOver: string;
  unavailable: string;
}

/** The texts of the card form. */
export const frameTexts: Readonly<Record<FrameLocale, FrameTexts>> = {
  en: {
    title: 'Card details',
    number: 'Card number',
    numberEmpty: 'Enter your card number.',
    numberShort: 'Your card number is incomplete.',
    numberMistyped: 'Check your card number. It may have a typo.',
    numberUnsupported: "This card isn't accepted. Try another card.",
    brandRefused: "{brand} isn't accepted here. Try another card.",
    numberNoTestCard: 'Only test cards work here, such as 4242 4242 4242 4242.',
    testCards: 'See all test cards',
    expiry: 'Expiration date',
    expiryHint: 'MM / YY',
    expiryEmpty: 'Enter the expiration date.',
    expiryWrong: 'Enter the month and year, such as 05 / 30.',
    expiryMonth: 'Check the month. It must be between 01 and 12.',
    expired: 'Your card has expired.',
    cvv: 'Security code',
    cvvBack: '3 digits',
    cvvFront: '4 digits',
    cvvBackHint: '3 digits on the back of your card',
    cvvFrontHint: '4 digits on the front of your card',
    cvvEmpty: 'Enter the security code.',
    cvvWrong: 'The security code is incomplete.',
    accessOver: 'The card form expired. Loading it again…',
    unavailable: "We couldn't send your card details. Try again.",
  },
  es: {
    title: 'Datos de la tarjeta',
    number: 'Número de tarjeta',
    numberEmpty: 'Ingresa el número de tu tarjeta.',
    numberShort: 'El número de tu tarjeta está incompleto.',
    numberMistyped: 'Revisa el número de tu tarjeta: parece tener un error.',
    numberUnsupported: 'No se acepta esta tarjeta. Prueba con otra.',
    brandRefused: 'Aquí no se aceptan tarjetas {brand}. Prueba con otra.',
    numberNoTestCard: 'Aquí solo funcionan tarjetas de prueba, como 4242 4242 4242 4242.',
    testCards: 'Ver todas las tarjetas de prueba',
    expiry: 'Vencimiento',
    expiryHint: 'MM / AA',
    expiryEmpty: 'Ingresa la fecha de vencimiento.',
    expiryWrong: 'Ingresa el mes y el año, por ejemplo 05 / 30.',
    expiryMonth: 'Revisa el mes: debe estar entre 01 y 12.',
    expired: 'Tu tarjeta está vencida.',
    cvv: 'Código (CVV)',
    cvvBack: '3 dígitos',
    cvvFront: '4 dígitos',
    cvvBackHint: '3 dígitos al reverso de tu tarjeta',
    cvvFrontHint: '4 dígitos al frente de tu tarjeta',
    cvvEmpty: 'Ingresa el código de seguridad.',
    cvvWrong: 'El código de seguridad está incompleto.',
    accessOver: 'El formulario expiró. Lo estamos cargando de nuevo…',
    unavailable: 'No pudimos enviar los datos de tu tarjeta. Inténtalo de nuevo.',
  },
  pt: {
    title: 'Dados do cartão',
    number: 'Número do cartão',
    numberEmpty: 'Digite o número do cartão.',
    numberShort: 'O número do cartão está incompleto.',
    numberMistyped: 'Número inválido: confira os dígitos.',
    numberUnsupported: 'Este cartão não é aceito. Tente outro cartão.',
    brandRefused: 'Cartões {brand} não são aceitos aqui. Tente outro.',
    numberNoTestCard: 'Aqui só funcionam cartões de teste, como 4242 4242 4242 4242.',
    testCards: 'Ver todos os cartões de teste',
    expiry: 'Validade',
    expiryHint: 'MM / AA',
    expiryEmpty: 'Digite a validade.',
    expiryWrong: 'Digite o mês e o ano, por exemplo 05 / 30.',
    expiryMonth: 'Confira o mês: deve ser de 01 a 12.',
    expired: 'Seu cartão está vencido.',
    cvv: 'Código (CVV)',
    cvvBack: '3 dígitos',
    cvvFront: '4 dígitos',
    cvvBackHint: '3 dígitos no verso do cartão',
    cvvFrontHint: '4 dígitos na frente do cartão',
    cvvEmpty: 'Digite o código de segurança.',
    cvvWrong: 'O código de segurança está incompleto.',
    accessOver: 'O formulário expirou. Carregando de novo…',
    unavailable: 'Não foi possível enviar os dados do cartão. Tente de novo.',
  },
};

/** Returns the requested locale, or English for an unknown one. */
export function frameLocale(requested: unknown): FrameLocale {
  return frameLocales.find((locale) => locale === requested) ?? 'en';
}
