export const frameLocales = ['en', 'es', 'pt'] as const;
export type FrameLocale = (typeof frameLocales)[number];

export interface FrameTexts {
  title: string;
  number: string;
  month: string;
  monthHint: string;
  year: string;
  yearHint: string;
  cvv: string;
  cvvHint: string;
  sandbox: string;
  numberWrong: string;
  numberUnsupported: string;
  monthWrong: string;
  yearWrong: string;
  expired: string;
  cvvWrong: string;
  accessOver: string;
  unavailable: string;
}

/** The words of the card form. */
export const FRAME_TEXTS: Readonly<Record<FrameLocale, FrameTexts>> = {
  en: {
    title: 'Card details',
    number: 'Card number',
    month: 'Expiry month',
    monthHint: 'MM',
    year: 'Expiry year',
    yearHint: 'YY',
    cvv: 'Security code',
    cvvHint: '3 digits on the back, 4 on the front of Amex',
    sandbox: 'Sandbox: only test cards are accepted.',
    numberWrong: 'Enter the whole card number.',
    numberUnsupported: 'Only the published test cards work here.',
    monthWrong: 'Enter the month as 01 to 12.',
    yearWrong: 'Enter the last two digits of the year.',
    expired: 'This card has expired.',
    cvvWrong: 'Enter the security code of this card.',
    accessOver: 'The time to enter a card is over. Go back and start again.',
    unavailable: 'The card could not be sent. Try again.',
  },
  es: {
    title: 'Datos de la tarjeta',
    number: 'Número de tarjeta',
    month: 'Mes de vencimiento',
    monthHint: 'MM',
    year: 'Año de vencimiento',
    yearHint: 'AA',
    cvv: 'Código de seguridad',
    cvvHint: '3 dígitos en el reverso, 4 en el frente de Amex',
    sandbox: 'Entorno de pruebas: solo se aceptan tarjetas de prueba.',
    numberWrong: 'Escribe el número completo de la tarjeta.',
    numberUnsupported: 'Aquí solo funcionan las tarjetas de prueba publicadas.',
    monthWrong: 'Escribe el mes como 01 a 12.',
    yearWrong: 'Escribe los dos últimos dígitos del año.',
    expired: 'Esta tarjeta está vencida.',
    cvvWrong: 'Escribe el código de seguridad de esta tarjeta.',
    accessOver: 'El tiempo para ingresar una tarjeta terminó. Vuelve y empieza de nuevo.',
    unavailable: 'No se pudo enviar la tarjeta. Inténtalo otra vez.',
  },
  pt: {
    title: 'Dados do cartão',
    number: 'Número do cartão',
    month: 'Mês de validade',
    monthHint: 'MM',
    year: 'Ano de validade',
    yearHint: 'AA',
    cvv: 'Código de segurança',
    cvvHint: '3 dígitos no verso, 4 na frente do Amex',
    sandbox: 'Ambiente de testes: só cartões de teste são aceitos.',
    numberWrong: 'Digite o número completo do cartão.',
    numberUnsupported: 'Aqui só funcionam os cartões de teste publicados.',
    monthWrong: 'Digite o mês de 01 a 12.',
    yearWrong: 'Digite os dois últimos dígitos do ano.',
    expired: 'Este cartão está vencido.',
    cvvWrong: 'Digite o código de segurança deste cartão.',
    accessOver: 'O tempo para informar um cartão acabou. Volte e comece de novo.',
    unavailable: 'Não foi possível enviar o cartão. Tente novamente.',
  },
};

/** The locale a page was asked for, English when it is none of ours. */
export function frameLocale(asked: unknown): FrameLocale {
  return frameLocales.find((locale) => locale === asked) ?? 'en';
}
