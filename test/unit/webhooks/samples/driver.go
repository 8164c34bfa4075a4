package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

type sampleCase struct {
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var cases []sampleCase
	if err := json.Unmarshal(text, &cases); err != nil {
		panic(err)
	}
	results := []any{}
	for _, c := range cases {
		headers := http.Header{}
		for name, value := range c.Headers {
			headers.Set(name, value)
		}
		event, err := VerifyWebhook(c.Secret, headers, []byte(c.Body))
		if err != nil {
			results = append(results, nil)
			continue
		}
		results = append(results, event.ID)
	}
	out, _ := json.Marshal(results)
	fmt.Println(string(out))
}
