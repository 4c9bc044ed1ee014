// Reads a contract with the YAML parser of Go, and fails unless the JSON, which is YAML too, says the same.
package main

import (
	"log"
	"os"
	"reflect"

	"go.yaml.in/yaml/v3"
)

func read(file string) (value any) {
	text, err := os.ReadFile(file)
	if err == nil {
		err = yaml.Unmarshal(text, &value)
	}
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	if !reflect.DeepEqual(read(os.Args[1]), read(os.Args[2])) {
		log.Fatal("the JSON says something else")
	}
}
