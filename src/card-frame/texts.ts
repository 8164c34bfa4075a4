export const frameLocales = ['en', 'es', 'pt'] as const;
export type FrameLocale = (typeof frameLocales)[number];

export interface FrameTexts {
  title: string;
  number: string;
  numberEmpty: string;
  numberShort: string;
  numberMistyped: string;
  numberUnsupported: string;
  /** In place of it where cards are test cards. */
  numberNoTestCard: string;
  testCards: string;
  expiry: string;
  expiryHint: string;
  expiryEmpty: string;
  expiryWrong: string;
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

/** The words of the card form. */
export const frameTexts: Readonly<Record<FrameLocale, FrameTexts>> = {
  en: {
    title: 'Card details',
    number: 'Card number',
    numberEmpty: 'Enter the card number.',
    numberShort: 'The card number is not complete.',
    numberMistyped: 'Check the card number: a digit is wrong.',
    numberUnsupported: 'This card number is not accepted. Try another card.',
    numberNoTestCard: 'Only test cards work here, such as 4242 4242 4242 4242.',
    testCards: 'All test cards',
    expiry: 'Expiry date',
    expiryHint: 'MM / YY',
    expiryEmpty: 'Enter the expiry date.',
    expiryWrong: 'Enter the expiry date as month and year, such as 05 / 30.',
    expired: 'This card has expired.',
    cvv: 'Security code',
    cvvBack: '3 digits',
    cvvFront: '4 digits',
    cvvBackHint: '3 digits on the back of the card',
    cvvFrontHint: '4 digits on the front of the card',
    cvvEmpty: 'Enter the security code.',
    cvvWrong: 'The security code is not complete.',
    accessOver: 'The time to enter a card is over. The fields load again.',
    unavailable: 'The card could not be sent. Try again.',
  },
  es: {
    title: 'Datos de la tarjeta',
    number: 'Número de tarjeta',
    numberEmpty: 'Escribe el número de la tarjeta.',
    numberShort: 'El número de la tarjeta está incompleto.',
    numberMistyped: 'Revisa el número de la tarjeta: hay un dígito equivocado.',
    numberUnsupported: 'Este número de tarjeta no se acepta. Prueba con otra tarjeta.',
    numberNoTestCard: 'Aquí solo funcionan tarjetas de prueba, como 4242 4242 4242 4242.',
    testCards: 'Todas las tarjetas de prueba',
    expiry: 'Vencimiento',
    expiryHint: 'MM / AA',
    expiryEmpty: 'Escribe la fecha de vencimiento.',
    expiryWrong: 'Escribe el vencimiento como mes y año, por ejemplo 05 / 30.',
    expired: 'Esta tarjeta está vencida.',
    cvv: 'Código (CVV)',
    cvvBack: '3 dígitos',
    cvvFront: '4 dígitos',
    cvvBackHint: '3 dígitos al reverso de la tarjeta',
    cvvFrontHint: '4 dígitos al frente de la tarjeta',
    cvvEmpty: 'Escribe el código de seguridad.',
    cvvWrong: 'El código de seguridad está incompleto.',
    accessOver: 'El tiempo para ingresar una tarjeta terminó. Los campos se cargan de nuevo.',
    unavailable: 'No se pudo enviar la tarjeta. Inténtalo de nuevo.',
  },
  pt: {
    title: 'Dados do cartão',
    number: 'Número do cartão',
    numberEmpty: 'Digite o número do cartão.',
    numberShort: 'O número do cartão está incompleto.',
    numberMistyped: 'Confira o número do cartão: há um dígito errado.',
    numberUnsupported: 'Este número de cartão não é aceito. Tente outro cartão.',
    numberNoTestCard: 'Aqui só funcionam cartões de teste, como 4242 4242 4242 4242.',
    testCards: 'Todos os cartões de teste',
    expiry: 'Validade',
    expiryHint: 'MM / AA',
    expiryEmpty: 'Digite a validade.',
    expiryWrong: 'Digite a validade como mês e ano, por exemplo 05 / 30.',
    expired: 'Este cartão está vencido.',
    cvv: 'Código (CVV)',
    cvvBack: '3 dígitos',
    cvvFront: '4 dígitos',
    cvvBackHint: '3 dígitos no verso do cartão',
    cvvFrontHint: '4 dígitos na frente do cartão',
    cvvEmpty: 'Digite o código de segurança.',
    cvvWrong: 'O código de segurança está incompleto.',
    accessOver: 'O tempo para informar um cartão acabou. Os campos serão carregados de novo.',
    unavailable: 'Não foi possível enviar o cartão. Tente de novo.',
  },
};

/** The locale a page was asked for, English when it is none of ours. */
export function frameLocale(asked: unknown): FrameLocale {
  return frameLocales.find((locale) => locale === asked) ?? 'en';
}
